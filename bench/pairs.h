// Measures two ways of doing the same thing against each other: in turns, so that whatever else the machine does falls
// on both, and as the ratio of each turn. Prints one line of JSON a pair.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace myops::bench {

// The time of one call in nanoseconds, over `calls` calls.
template <class Function>
double time_calls(const Function& function, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) function();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / calls;
}

// The value below which `share` of the values lie.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

// `ours` and `peer` are called with nothing; what they return is thrown away.
template <class Ours, class Peer>
void compare(const std::string& name, const std::string& stack, const std::string& peer_name, const Ours& ours,
             const Peer& peer, int rounds, int calls) {
  time_calls(ours, calls);
  time_calls(peer, calls);
  std::vector<double> our_times, peer_times, ratios;
  for (int round = 0; round < rounds; ++round) {
    double one = 0, other = 0;
    if (round % 2 == 0) {
      one = time_calls(ours, calls);
      other = time_calls(peer, calls);
    } else {
      other = time_calls(peer, calls);
      one = time_calls(ours, calls);
    }
    our_times.push_back(one);
    peer_times.push_back(other);
    ratios.push_back(one / other);
  }
  std::printf(
      R"({"name": "%s", "stack": "%s", "peer": "%s", "ours_ns": %.1f, "peer_ns": %.1f, "ratio": %.4f, "low": %.4f, "high": %.4f})"
      "\n",
      name.c_str(), stack.c_str(), peer_name.c_str(), quantile(our_times, 0.5), quantile(peer_times, 0.5),
      quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
  std::fflush(stdout);
}

}  // namespace myops::bench

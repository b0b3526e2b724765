// HostFacts as JSON, for reports and for the --host file of `myops facts`, and back.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "loader/printable.h"
#include "loader/rules/cpu_level.h"
#include "loader/rules/json_fields.h"
#include "loader/rules/report.h"

namespace myops::rules {
namespace {

constexpr std::uint64_t kMostPageSize = std::uint64_t{1} << 30;

void read_gpus(const ObjectReader& root, HostFacts& host) {
  const boost::json::array* gpus = root.array("gpus");
  if (!gpus) return;
  for (std::size_t i = 0; i < gpus->size(); ++i) {
    const std::string name = "gpus[" + std::to_string(i) + "]";
    const boost::json::object* json = root.object_of(name, (*gpus)[i]);
    if (!json) return;
    const ObjectReader gpu(*json, root, name);
    host.gpus.push_back({gpu.optional_text("name", kAnyText), gpu.optional_text("capability", kAnyText)});
  }
}

// What is no level of an x86 machine would be taken for one that offers something unknown.
bool is_level_of(const std::string& arch, const std::string& level) {
  return arch != "x86_64" || level.empty() || level_rank(level);
}

}  // namespace

boost::json::object to_json(const HostFacts& host, boost::json::storage_ptr memory) {
  boost::json::array features(memory), gpus(memory);
  for (const std::string& feature : host.cpu_features) features.emplace_back(valid_utf8(feature));
  for (const Gpu& gpu : host.gpus) {
    gpus.push_back({{"name", valid_utf8(gpu.name)}, {"capability", valid_utf8(gpu.capability)}});
  }
  return boost::json::object({{"arch", valid_utf8(host.arch)},
                              {"cpu_name", valid_utf8(host.cpu_name)},
                              {"cpu_level", valid_utf8(host.cpu_level)},
                              {"cpu_features", std::move(features)},
                              {"gpus", std::move(gpus)},
                              {"driver", valid_utf8(host.driver)},
                              {"libc", valid_utf8(host.libc)},
                              {"page_size", host.page_size}},
                             memory);
}

Result<HostFacts> host_from_json(const boost::json::object& json) {
  FirstFault fault(Code::kBadOption);
  const ObjectReader root(json, fault, "host");
  HostFacts host;
  host.arch = root.text("arch", kAnyText);
  host.cpu_name = root.optional_text("cpu_name", kAnyText);
  host.cpu_level = root.text("cpu_level", kAnyText);
  if (!is_level_of(host.arch, host.cpu_level)) {
    fault.set(root.path("cpu_level"), "x86-64, x86-64-v2, x86-64-v3 or x86-64-v4", "\"" + host.cpu_level + "\"");
  }
  host.cpu_features = root.optional_texts("cpu_features", kAnyText);
  read_gpus(root, host);
  host.driver = root.optional_text("driver", kAnyText);
  host.libc = root.optional_text("libc", kAnyText);
  if (root.has("page_size")) host.page_size = root.number("page_size", 1, kMostPageSize);
  if (fault.reason()) return *fault.reason();
  return host;
}

}  // namespace myops::rules

// The words for a child process that did not end well: pure, from its outcome.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>

#include "loader/system/probe.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

constexpr std::size_t kLastLines = 5;

bool begins_backtrace(std::string_view line) {
  return line.starts_with("Exception raised from ") || line.starts_with("frame #");
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    if (line.empty()) continue;
    if (!text.empty()) text += "\n";
    text += line;
  }
  return text;
}

// libstdc++'s terminate handler prints "  what():  TEXT"; torch's exceptions go on with a backtrace, which would push
// the text out of any choice of last lines.
std::string explaining_lines(const std::string& errors) {
  static constexpr std::string_view kWhat = "what():";
  if (const auto what = errors.rfind(kWhat); what != std::string::npos) {
    const auto text = std::string_view(errors).substr(what + kWhat.size());
    auto lines = split(text.substr(std::min(text.find_first_not_of(' '), text.size())), '\n');
    lines.erase(std::find_if(lines.begin(), lines.end(), begins_backtrace), lines.end());
    return join(lines);
  }
  auto lines = split(errors, '\n');
  std::erase_if(lines, [](const std::string& line) { return line.empty(); });
  if (lines.size() > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  return join(lines);
}

std::string advice(const ChildOutcome& outcome, const std::string& said) {
  if (outcome.signal == SIGILL) return "this machine's CPU lacks an instruction it uses when it is opened";
  if (said.find("Inferred operator schema") != std::string::npos) {
    return "a kernel takes what torch infers from the schema: int64_t for int, double for float, const at::Tensor& for "
           "Tensor";
  }
  if (outcome.timed_out) return "it holds up any process that opens it: rebuild it, or leave it out (disable)";
  if (outcome.signal != 0) return "it ends any process that opens it: rebuild it, or leave it out (disable)";
  return "";
}

std::string ending(const ChildOutcome& outcome) {
  if (outcome.timed_out) return "killed at the time limit";
  if (outcome.signal != 0) {
    return "killed by signal " + std::to_string(outcome.signal) + " (" + ::strsignal(outcome.signal) + ")";
  }
  return "exit code " + std::to_string(outcome.exit_code);
}

}  // namespace

std::optional<Reason> failure_of(const ChildOutcome& outcome, const std::string& subject) {
  if (!outcome.timed_out && outcome.signal == 0 && outcome.exit_code == 0) return std::nullopt;
  const auto said = explaining_lines(outcome.errors);
  return Reason{.code = Code::kOpenFailed,
                .subject = subject,
                .expected = "to be opened in a process of its own without ending it",
                .found = said.empty() ? ending(outcome) : ending(outcome) + ": " + said,
                .hint = advice(outcome, said)};
}

}  // namespace myops::system

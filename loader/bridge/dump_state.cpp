#include "loader/bridge/dump_state.h"

#include <algorithm>
#include <optional>

namespace myops::bridge {
namespace {

struct KernelLine {
  std::string_view key;
  std::string_view text;
  bool active = true;
};

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "CPU: text", "Autograd[alias]: text", "Meta (inactive): text", "Autograd[alias] (inactive): text".
std::optional<KernelLine> parse_line(std::string_view line, const std::function<bool(std::string_view)>& is_key) {
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  KernelLine kernel{.key = line.substr(0, colon), .text = line.substr(colon + 2)};
  kernel.active = !take_suffix(kernel.key, " (inactive)");
  take_suffix(kernel.key, "[alias]");
  if (!is_key(kernel.key)) return std::nullopt;
  return kernel;
}

}  // namespace

KernelTexts parse_kernels(std::string_view dump, const std::function<bool(std::string_view)>& is_key) {
  KernelTexts kernels;
  bool continues = false;  // does the next line without a key belong to a kernel in force?
  while (!dump.empty()) {
    const auto line = dump.substr(0, dump.find('\n'));
    dump.remove_prefix(std::min(line.size() + 1, dump.size()));
    if (const auto kernel = parse_line(line, is_key)) {
      if (kernel->active) kernels.emplace_back(kernel->key, kernel->text);
      continues = kernel->active;
    } else if (continues) {
      kernels.back().second.append("\n").append(line);
    }
  }
  return kernels;
}

}  // namespace myops::bridge

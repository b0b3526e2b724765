#include "loader/rules/gpu_arch.h"

#include <algorithm>
#include <tuple>

#include "loader/rules/version.h"

namespace myops::rules {
namespace {

struct Arch {
  Capability capability;
  char suffix = '\0';  // 'a', 'f' or none
};

// "120" → 12.0: the last digit is the minor capability.
std::optional<Arch> parse_arch(std::string_view text) {
  Arch arch;
  if (text.ends_with('a') || text.ends_with('f')) {
    arch.suffix = text.back();
    text.remove_suffix(1);
  }
  if (text.size() < 2) return std::nullopt;
  const auto major = parse_version(text.substr(0, text.size() - 1));
  const auto minor = parse_version(text.substr(text.size() - 1));
  if (!major || !minor) return std::nullopt;
  arch.capability = {major->major(), minor->major()};
  return arch;
}

bool reaches(const Capability& gpu, const Capability& code) {
  return std::tie(gpu.major, gpu.minor) >= std::tie(code.major, code.minor);
}

bool suits(const std::string& name, const Capability& gpu, bool machine_code) {
  const auto arch = parse_arch(name);
  if (!arch || !reaches(gpu, arch->capability)) return false;
  if (arch->suffix == 'a') return gpu.major == arch->capability.major && gpu.minor == arch->capability.minor;
  return gpu.major == arch->capability.major || (!machine_code && arch->suffix == '\0');
}

}  // namespace

std::optional<Capability> parse_capability(std::string_view text) {
  const auto version = parse_version(text);
  if (!version || version->numbers.size() != 2 || !version->suffix.empty()) return std::nullopt;
  return Capability{version->major(), version->minor()};
}

std::string capability_text(const Capability& capability) {
  return std::to_string(capability.major) + "." + std::to_string(capability.minor);
}

bool runs_on(const Manifest::DeviceCode& code, const Capability& gpu) {
  const auto any = [&](const std::vector<std::string>& names, bool machine_code) {
    return std::any_of(names.begin(), names.end(), [&](const auto& name) { return suits(name, gpu, machine_code); });
  };
  return any(code.sm, true) || any(code.ptx, false);
}

std::string code_list(const Manifest::DeviceCode& code) {
  std::string list;
  const auto add = [&](std::string_view kind, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!list.empty()) list += ", ";
      list += kind;
      list += name;
    }
  };
  add("sm_", code.sm);
  add("PTX ", code.ptx);
  return list;
}

}  // namespace myops::rules

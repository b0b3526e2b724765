#include "loader/rules/choice.h"

#include <algorithm>

#include "loader/rules/cpu_level.h"
#include "loader/rules/dispatch_keys.h"
#include "loader/rules/glob.h"

namespace myops::rules {
namespace {

bool serves_only(const Manifest& manifest, const std::string& key) {
  const auto keys = manifest.keys();
  return !keys.empty() &&
         std::all_of(keys.begin(), keys.end(), [&](const std::string& held) { return key_covers(key, held); });
}

}  // namespace

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string component_name(const std::string& path) {
  std::string name = file_name(path);
  if (name.ends_with(".so")) name.resize(name.size() - 3);
  return name.starts_with("lib") ? name.substr(3) : name;
}

bool prefers(const std::string& entry, const Verdict& verdict) {
  const std::string& path = verdict.file.path;
  if (entry.find('/') != std::string::npos) {
    return glob_matches(entry, path) || glob_matches(entry, verdict.file.real_path);
  }
  return glob_matches(entry, verdict.name) || glob_matches(entry, component_name(path)) ||
         glob_matches(entry, file_name(path));
}

bool disables(const std::string& entry, const Verdict& verdict) {
  return prefers(entry, verdict) || (verdict.manifest && serves_only(*verdict.manifest, entry));
}

bool is_above_cap(const Verdict& verdict, const Request& request) {
  const auto cap = level_rank(request.cpu_cap);
  return cap && level_rank(verdict.cpu_level) > cap;
}

}  // namespace myops::rules

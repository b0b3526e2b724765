#include "loader/system/folders.h"

#include <boost/dll/runtime_symbol_info.hpp>
#include <filesystem>
#include <optional>
#include <system_error>

#include "loader/system/variables.h"

namespace myops::system {
namespace {

void add(SearchPath& search, const std::string& path, const std::string& origin) {
  if (path.empty()) {
    search.notes.push_back({Code::kUnreadable, origin, "folders", "an empty entry",
                            "remove it: the working directory is never searched unless it is named"});
    return;
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) {
    search.notes.push_back({Code::kUnreadable, path, "a folder", error.message(),
                            "it is relative, and the working directory is gone: give an absolute path"});
    return;
  }
  std::string text = absolute.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  search.entries.push_back({text, origin});
}

std::string find_loader_folder() {
  boost::dll::fs::error_code error;
  const auto self = boost::dll::this_line_location(error);
  if (error) return "";
  std::error_code resolve_error;
  const auto real = std::filesystem::canonical(self.string(), resolve_error);
  return resolve_error ? "" : real.parent_path().string();
}

void add_list(SearchPath& search, const std::string& list, const char* origin) {
  for (const std::string& path : split(list, ':')) add(search, path, origin);
}

}  // namespace

SearchPath search_path(const std::vector<std::string>& paths, const std::vector<std::string>& late_paths) {
  SearchPath search;
  for (const std::string& path : paths) add(search, path, "paths");
  if (const auto list = variable("MYOPS_PLUGIN_PATH")) add_list(search, *list, "MYOPS_PLUGIN_PATH");
  if (const auto list = variable("MYOPS_SYSTEM_PLUGIN_PATH")) {
    add_list(search, *list, "MYOPS_SYSTEM_PLUGIN_PATH");
  } else {
    for (const std::string& folder : default_folders()) search.entries.push_back({folder, ""});
  }
  for (const std::string& path : late_paths) add(search, path, "late_paths");
  return search;
}

std::vector<std::string> default_folders() {
  const std::string& folder = loader_folder();
  if (folder.empty()) return {};
  return {folder + "/plugins", folder + "/myops/plugins"};
}

const std::string& loader_folder() {
  // Never destroyed: a destructor at exit may still ask.
  static const auto* const folder = new std::string(find_loader_folder());
  return *folder;
}

}  // namespace myops::system

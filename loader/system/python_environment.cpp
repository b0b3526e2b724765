#include "loader/system/python_environment.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>

#include "loader/system/file_bytes.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real;
}

// pyvenv.cfg beside the executable or one folder up (PEP 405): "key = value" lines.
std::map<std::string, std::string> read_configuration(const fs::path& folder) {
  std::map<std::string, std::string> values;
  std::istringstream lines(read_text(folder / "pyvenv.cfg"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const auto key = split_names(line.substr(0, equals), '\n');
    const auto value = split_names(line.substr(equals + 1), '\n');
    if (!key.empty()) values[key[0]] = value.empty() ? "" : value[0];
  }
  return values;
}

// PREFIX/lib/python3.X folders: normally one; several in /usr. The interpreter's own first.
std::vector<fs::path> version_folders(const fs::path& prefix, const std::string& own_name) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(prefix / "lib", error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with("python3")) folders.push_back(entry->path());
  }
  std::sort(folders.begin(), folders.end());
  const auto own = std::find(folders.begin(), folders.end(), prefix / "lib" / own_name);
  if (own != folders.end()) std::rotate(folders.begin(), own, own + 1);
  // Of several, only the interpreter's own and the one without a minor version (Debian's /usr/lib/python3) are its.
  if (own_name.size() > std::string_view("python3").size()) {
    std::erase_if(folders, [&](const fs::path& folder) {
      return folder.filename() != own_name && folder.filename() != "python3";
    });
  }
  return folders;
}

void add_packages_of(std::vector<std::string>& folders, const fs::path& prefix, const std::string& own_name) {
  for (const fs::path& folder : version_folders(prefix, own_name)) {
    for (const char* name : {"site-packages", "dist-packages"}) {
      if (is_there(folder / name)) folders.push_back((folder / name).string());
    }
  }
}

}  // namespace

std::string python_on_path() {
  if (const auto environment = variable("VIRTUAL_ENV"); environment && !environment->empty()) {
    const fs::path python = fs::path(*environment) / "bin/python3";
    if (is_program(python)) return python.string();
  }
  for (const std::string& folder : split(variable("PATH").value_or(""), ':')) {
    if (!folder.empty() && is_program(fs::path(folder) / "python3")) return folder + "/python3";
  }
  return "";
}

std::vector<std::string> package_folders(const std::string& executable) {
  std::vector<std::string> folders;
  for (const std::string& folder : split(variable("PYTHONPATH").value_or(""), ':')) {
    if (!folder.empty()) folders.push_back(folder);
  }
  const fs::path real = resolved(executable);
  const std::string own_name = real.filename().string();
  const fs::path bin = fs::path(executable).parent_path();
  for (const fs::path& place : {bin, bin.parent_path()}) {
    if (!is_there(place / "pyvenv.cfg")) continue;
    auto configuration = read_configuration(place);
    add_packages_of(folders, place, own_name);
    if (configuration["include-system-site-packages"] != "true") return folders;
    break;
  }
  if (const auto home = variable("HOME")) add_packages_of(folders, fs::path(*home) / ".local", own_name);
  const fs::path prefix = real.parent_path().parent_path();
  if (prefix == "/usr") add_packages_of(folders, "/usr/local", own_name);
  add_packages_of(folders, prefix, own_name);
  return folders;
}

std::optional<std::string> torch_package(const std::string& executable) {
  for (const std::string& folder : package_folders(executable)) {
    if (is_there(fs::path(folder) / "torch/lib/libtorch_cpu.so")) return folder + "/torch";
  }
  return std::nullopt;
}

std::string python_of_package(const std::string& package) {
  const fs::path version_folder = fs::path(package).parent_path().parent_path();  // PREFIX/lib/python3.X
  const std::string name = version_folder.filename().string();
  if (!name.starts_with("python3")) return "";
  const fs::path bin = version_folder.parent_path().parent_path() / "bin";
  for (const fs::path& python : {bin / name, bin / "python3"}) {
    if (is_program(python)) return python.string();
  }
  return "";
}

}  // namespace myops::system

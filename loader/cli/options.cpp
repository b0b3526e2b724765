#include <fstream>
#include <string>

#include "loader/cli/subcommand.h"

namespace myops::cli {
namespace {

constexpr std::size_t kMaxHostBytes = std::size_t{1} << 20;

// The file's text, one JSON object. What is wrong within is the loader's to say, which reads it as strictly as options.
std::string read_host_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxHostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !file.is_open()) throw CLI::ValidationError("--host", path + " cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxHostBytes) throw CLI::ValidationError("--host", path + " is larger than 1 MiB");
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{' || !nlohmann::ordered_json::accept(text)) {
    throw CLI::ValidationError("--host", path + " is no JSON object; `myops facts` writes such a file");
  }
  return text;
}

}  // namespace

CLI::Validator not_empty() {
  return {[](std::string& value) { return value.empty() ? std::string("is empty") : std::string(); }, ""};
}

void Options::add_search(CLI::App& app) {
  app.add_option("--path", paths_, "Search this folder (or file) before the default ones; may be given again")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_torch(app);
}

void Options::add_torch(CLI::App& app) {
  app.add_option("--torch", torch_, "Judge against this torch: its package folder, its lib folder, or a libtorch root")
      ->check(not_empty())
      ->type_name("DIR");
}

void Options::add_host(CLI::App& app) {
  app.add_option("--host", host_, "Judge for the machine of this file, as `myops facts` writes it")
      ->check(not_empty())
      ->type_name("FILE");
}

void Options::add_request(CLI::App& app) {
  app.add_option("--require", require_, "Dispatch key that must be served; may be given again, or several with commas")
      ->type_name("KEY")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_choice(app);
}

void Options::add_choice(CLI::App& app) {
  app.add_option("--prefer", prefer_, "Take libraries of this name, file name or path first (glob)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option(
         "--disable", disable_,
         "Leave out libraries of this name, file name or path (glob), or those that serve this dispatch key alone")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("--allow-incomplete", allow_incomplete_, "Take a mutating backend without its ADInplaceOrView library");
  app.add_flag("--allow-unstamped", allow_unstamped_, "Take libraries without a written manifest");
  app.add_flag("--allow-no-gpu", allow_no_gpu_,
               "Take CUDA libraries on a machine without a GPU: they register, but cannot compute");
  app.add_option("--trust", trust_, "strict: refuse files that the group can write or that belong to someone else")
      ->check(CLI::IsMember({"normal", "strict"}));
  app.add_option("--lock", lock_, "Refuse libraries that this file, written by `myops lock`, does not list")
      ->check(not_empty())
      ->type_name("FILE");
}

void Options::add_json(CLI::App& app) { app.add_flag("--json", json_, "Answer in JSON"); }

nlohmann::ordered_json Options::object() const {
  auto object = nlohmann::ordered_json::object();
  if (!paths_.empty()) object["paths"] = paths_;
  if (!require_.empty()) object["require"] = require_;
  if (!prefer_.empty()) object["prefer"] = prefer_;
  if (!disable_.empty()) object["disable"] = disable_;
  if (!torch_.empty()) object["torch"] = torch_;
  if (!trust_.empty()) object["trust"] = trust_;
  if (!lock_.empty()) object["lock"] = lock_;
  if (allow_incomplete_) object["allow_incomplete"] = true;
  if (allow_unstamped_) object["allow_unstamped"] = true;
  if (allow_no_gpu_) object["allow_no_gpu"] = true;
  return object;
}

nlohmann::ordered_json Options::object_with_helper() const {
  auto with_helper = object();
  with_helper["helper"] = child_command();
  return with_helper;
}

HostFile Options::host() const { return host_.empty() ? HostFile{} : HostFile{host_, read_host_file(host_)}; }

}  // namespace myops::cli

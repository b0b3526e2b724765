#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string ending_in_newline(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

// A full disk or a closed pipe must not look like success.
int show(std::FILE* stream, const std::string& text, int status) {
  if (std::fputs(text.c_str(), stream) >= 0 && std::fflush(stream) == 0) return status;
  std::fprintf(stderr, "myops: the answer cannot be written: %s\n", std::strerror(errno));
  return status == 0 ? kFailed : status;
}

// The file goes in as it is written: read and written again here, a key that stands twice would be lost.
std::string options_text(const Json& options, const HostFile& host) {
  std::string text = options.dump();
  if (host.text.empty()) return text;
  text.pop_back();
  return text + (options.empty() ? "" : ",") + "\"host\":" + host.text + "}";
}

// The other options are this program's own, and well-formed.
bool is_about_host(const Json& error) {
  const std::string subject = error.value("subject", "");
  return error.value("code", "") == "bad-option" && (subject == "options" || subject.starts_with("host"));
}

// Names the file in a fault of what it holds.
void name_host_file(Json& answer, std::string& text, const std::string& path) {
  Json& error = answer["error"];
  const std::string hint = "in " + path + "; `myops facts` writes such a file";
  if (!is_about_host(error) || error.value("hint", "") != "") return;
  error["hint"] = hint;
  text += "; " + hint;
}

}  // namespace

int run(Function function, const Json& options, bool json, const HostFile& host) {
  std::string text_of_options;
  try {
    text_of_options = options_text(options, host);
  } catch (const Json::type_error&) {
    return show(stderr, "myops: an argument is not valid UTF-8, which the loader's options must be\n", kUsage);
  }
  char* result = nullptr;
  const int status = function(text_of_options.c_str(), &result);
  const std::unique_ptr<char, decltype(&myops_free)> owner(result, &myops_free);
  if (result == nullptr) return show(stderr, "myops: out of memory\n", kFailed);
  Json answer = Json::parse(result);
  std::string text = answer.value("text", "");
  answer.erase("text");
  if (!host.path.empty() && answer.contains("error")) name_host_file(answer, text, host.path);
  if (json) return show(stdout, answer.dump(2) + "\n", status);
  if (!answer.contains("error")) return show(stdout, ending_in_newline(text), status);
  return show(stderr, "myops: " + ending_in_newline(text), status);
}

std::vector<std::string> child_command() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {error ? std::string("/proc/self/exe") : self.string(), "child"};
}

}  // namespace myops::cli

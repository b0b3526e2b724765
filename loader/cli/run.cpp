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

int print(std::FILE* stream, const std::string& text, int status) {
  if (std::fputs(text.c_str(), stream) >= 0 && std::fflush(stream) == 0) return status;
  std::fprintf(stderr, "myops: the answer cannot be written: %s\n", std::strerror(errno));
  return status == 0 ? kFailed : status;
}

Answer ask(Function function, const Json& options, const HostFile& host) {
  std::string text_of_options;
  try {
    text_of_options = options_text(options, host);
  } catch (const Json::type_error&) {
    return {kUsage, nullptr, "an argument is not valid UTF-8, which the loader's options must be"};
  }
  char* result = nullptr;
  Answer answer;
  answer.status = function(text_of_options.c_str(), &result);
  const std::unique_ptr<char, decltype(&myops_free)> owner(result, &myops_free);
  if (result == nullptr) return {kFailed, nullptr, "out of memory"};
  answer.json = Json::parse(result);
  answer.text = answer.json.value("text", "");
  answer.json.erase("text");
  if (!host.path.empty() && answer.is_fault()) name_host_file(answer.json, answer.text, host.path);
  return answer;
}

int show(const Answer& answer, bool json) {
  if (json && !answer.json.is_null()) return print(stdout, answer.json.dump(2) + "\n", answer.status);
  if (!answer.is_fault()) return print(stdout, ending_in_newline(answer.text), answer.status);
  return print(stderr, "myops: " + ending_in_newline(answer.text), answer.status);
}

int run(Function function, const Json& options, bool json, const HostFile& host) {
  return show(ask(function, options, host), json);
}

std::vector<std::string> child_command() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {error ? std::string("/proc/self/exe") : self.string(), "child"};
}

}  // namespace myops::cli

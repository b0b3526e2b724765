// What the subcommands share: their common options, the call of the C ABI, and how an answer is shown.
//
// The command is thin: it knows options and text, and nothing of libraries, torch or rules.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace myops::cli {

// Exit codes: 0 fine, 1 something asked for cannot be loaded or the command itself failed, 2 usage. The same as the
// statuses of the C ABI.
inline constexpr int kFailed = 1, kUsage = 2;

using Function = int (*)(const char* options, char** result);

// What --host names: the text of one JSON object; "" where it was not given.
struct HostFile {
  std::string path, text;
};

// Refuses "", which a shell makes of a variable that is not set: the option would be as if it were not there.
CLI::Validator not_empty();

// Options that several subcommands take, and the options object they make. Each add_…() declares some of them.
class Options {
 public:
  void add_search(CLI::App& app);   // --path, --torch
  void add_torch(CLI::App& app);    // --torch
  void add_host(CLI::App& app);     // --host
  void add_request(CLI::App& app);  // --require and those of add_choice()
  // --prefer, --disable, --allow-incomplete, --allow-unstamped, --allow-no-gpu, --trust, --lock
  void add_choice(CLI::App& app);
  void add_json(CLI::App& app);  // --json

  nlohmann::ordered_json object() const;              // --host aside
  nlohmann::ordered_json object_with_helper() const;  // the same, with the command of a child process
  // Throws CLI::ValidationError where the file is none.
  HostFile host() const;
  bool json() const { return json_; }

 private:
  std::vector<std::string> paths_, require_, prefer_, disable_;
  std::string torch_, host_, trust_, lock_;
  bool allow_incomplete_ = false, allow_unstamped_ = false, allow_no_gpu_ = false, json_ = false;
};

// What a function of the C ABI answered. A fault may be one of the command itself: then without JSON.
struct Answer {
  int status = 0;
  nlohmann::ordered_json json;  // "text" aside
  std::string text;

  bool is_fault() const { return json.is_null() || json.contains("error"); }
};

// Calls the function. A fault of the --host file is told with its name.
Answer ask(Function function, const nlohmann::ordered_json& options, const HostFile& host = {});
// Shows an answer: on stdout as JSON or as text; a fault without --json on stderr. Returns the exit code.
int show(const Answer& answer, bool json);
// Writes to a stream and returns the status; a full disk or a closed pipe does not look like success.
int print(std::FILE* stream, const std::string& text, int status);

// ask() and show().
int run(Function function, const nlohmann::ordered_json& options, bool json, const HostFile& host = {});

// The command of a child process of this program, for the option "helper".
std::vector<std::string> child_command();

// Each declares one subcommand; when it is run, it leaves the exit code in `status`.
void add_list(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_plan(CLI::App& app, int& status);
void add_verify(CLI::App& app, int& status);
void add_table(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_facts(CLI::App& app, int& status);
void add_stamp(CLI::App& app, int& status);
void add_lock(CLI::App& app, int& status);
void add_help(CLI::App& app, int& status);
void add_child(CLI::App& app, int& status);

}  // namespace myops::cli

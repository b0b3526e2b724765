// myops doctor: host, torch, folders, verdicts: what to paste into a bug report, or as a page to attach to it.
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include "loader/cli/page.h"
#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"
#include "loader/system/written_file.h"

namespace myops::cli {
namespace {

// Into the file, or for "-" to stdout. Returns the exit code.
int write_page(const Answer& answer, const std::string& path) {
  if (answer.is_fault()) return show(answer, false);
  const std::string page = page_of(answer.json, answer.text);
  if (path == "-") return print(stdout, page, answer.status);
  if (const int error = system::write_text(path, page); error != 0) {
    return print(stderr, "myops: " + path + " cannot be written: " + std::generic_category().message(error) + "\n",
                 kFailed);
  }
  return print(stdout, path + ": the report as a page, to be opened in a browser\n", answer.status);
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("doctor", "Machine, torch, folders, environment and plan: what to paste into a bug report");
  command->footer(
      "The page of --html needs no other file and no network. What is typed into its filter stands in its address, as\n"
      "#filter=no-gpu, so that a link can carry it.\n\n"
      "Example:\n  myops doctor > report.txt\n  myops doctor --html report.html");
  struct State {
    Options options;
    std::string html;
  };
  auto state = std::make_shared<State>();
  state->options.add_search(*command);
  state->options.add_json(*command);
  command->add_option("--html", state->html, "Write the report as a page into this file; - for standard output")
      ->check(not_empty())
      ->type_name("FILE")
      ->excludes("--json");
  command->callback([state, &status] {
    const Answer answer = ask(&myops_doctor, state->options.object_with_helper());
    status = state->html.empty() ? show(answer, state->options.json()) : write_page(answer, state->html);
  });
}

}  // namespace myops::cli

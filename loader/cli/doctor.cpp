// myops doctor: host, torch, folders, verdicts: what to paste into a bug report.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_doctor(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("doctor", "Machine, torch, folders, environment and plan: what to paste into a bug report");
  command->footer("Example:\n  myops doctor > report.txt");
  auto options = std::make_shared<Options>();
  options->add_search(*command);
  options->add_json(*command);
  command->callback(
      [options, &status] { status = run(&myops_doctor, options->object_with_helper(), options->json()); });
}

}  // namespace myops::cli

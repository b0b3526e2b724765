// myops list: every candidate and its verdict.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_list(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("list", "Every library that is found, and what is thought of it; opens none");
  command->footer("Example:\n  myops list --path ./build/lib/myops/plugins");
  auto options = std::make_shared<Options>();
  options->add_search(*command);
  options->add_host(*command);
  options->add_choice(*command);
  options->add_json(*command);
  command->callback(
      [options, &status] { status = run(&myops_list, options->object(), options->json(), options->host()); });
}

}  // namespace myops::cli

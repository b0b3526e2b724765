// myops plan: what would be loaded, in order, and why each other file is not.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_plan(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("plan", "What would be loaded, in order, and why each other library is not; opens none");
  command->footer(
      "Exit code: 1 if a required key would not be served.\n\nExample:\n  myops plan --require CPU --require Autograd");
  auto options = std::make_shared<Options>();
  options->add_search(*command);
  options->add_host(*command);
  options->add_request(*command);
  options->add_json(*command);
  command->callback([options, &status] {
    status = run(&myops_plan, options->object_with_helper(), options->json(), options->host());
  });
}

}  // namespace myops::cli

// myops facts: this machine as a --host file.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_facts(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("facts", "This machine and its torch, in JSON, as --host takes them");
  command->footer("Example:\n  myops facts > node.json\n  myops plan --host node.json");
  auto options = std::make_shared<Options>();
  options->add_torch(*command);
  options->add_json(*command);
  // A file for --host is JSON, asked for or not.
  command->callback([options, &status] { status = run(&myops_facts, options->object_with_helper(), /*json=*/true); });
}

}  // namespace myops::cli

// myops table [OP]: operators × dispatch keys, with the library that provides each kernel.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_table(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "table",
      "Operators and their dispatch keys, with the library that provides each kernel; loads in a child process");
  command->footer("Example:\n  myops table rms_norm");
  struct State {
    Options options;
    std::string op;
  };
  auto state = std::make_shared<State>();
  command->add_option("OP", state->op, "One operator: rms_norm or myops::rms_norm; all its overloads")
      ->check(not_empty());
  state->options.add_search(*command);
  state->options.add_choice(*command);
  state->options.add_json(*command);
  command->callback([state, &status] {
    auto object = state->options.object();
    object["helper"] = child_command();
    if (!state->op.empty()) object["op"] = state->op;
    status = run(&myops_table_in_child, object, state->options.json());
  });
}

}  // namespace myops::cli

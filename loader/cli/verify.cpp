// myops verify: load for real, in a child process, and ask the dispatcher what came of it.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_verify(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("verify", "Load for real in a child process, and ask the dispatcher what came of it");
  command->footer(
      "Exit code: 1 if something required is missing, did not load or did not register, if there was nothing to\n"
      "load, or if the child died.\n\n"
      "Example:\n  myops verify --require CPU");
  struct State {
    Options options;
    int timeout = 300;
  };
  auto state = std::make_shared<State>();
  state->options.add_search(*command);
  state->options.add_request(*command);
  state->options.add_json(*command);
  command->add_option("--timeout", state->timeout, "Give the child process this many seconds")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command->callback([state, &status] {
    auto object = state->options.object_with_helper();
    object["timeout"] = state->timeout;
    status = run(&myops_load_in_child, object, state->options.json());
  });
}

}  // namespace myops::cli

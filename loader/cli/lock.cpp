// myops lock: which libraries may be opened from now on.
#include <memory>
#include <string>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_lock(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("lock", "Write down the libraries that may be loaded, with the hash of each");
  command->footer(
      "Lists every library in the search path, for every torch: a machine loads some of them, and with --lock or\n"
      "MYOPS_LOCK no other. Paths are relative to the file's folder, so that both can be moved together.\n\n"
      "Example:\n  myops lock --output /opt/myops/myops.lock\n  MYOPS_LOCK=/opt/myops/myops.lock myops plan");
  struct State {
    Options options;
    std::string output = "myops.lock";
  };
  auto state = std::make_shared<State>();
  state->options.add_search(*command);
  state->options.add_json(*command);
  command->add_option("--output", state->output, "The file to write")
      ->check(not_empty())
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([state, &status] {
    auto object = state->options.object();
    object["output"] = state->output;
    status = run(&myops_lock, object, state->options.json());
  });
}

}  // namespace myops::cli

// myops check FILE…: would these libraries load, and if not, every reason.
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_check(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "check", "Would these libraries load, and if not, every reason; any extension of PyTorch, and none is opened");
  command->footer(
      "Exit code: 0 if all of them would load, 1 if one would not.\n\nExample:\n  myops check libmyops_cpu.so --torch "
      "~/libtorch");
  struct State {
    Options options;
    std::vector<std::string> files;
  };
  auto state = std::make_shared<State>();
  command->add_option("FILE", state->files, "Shared objects")->required();
  state->options.add_torch(*command);
  state->options.add_host(*command);
  state->options.add_json(*command);
  command->callback([state, &status] {
    auto object = state->options.object();
    object["files"] = state->files;
    status = run(&myops_check, object, state->options.json(), state->options.host());
  });
}

}  // namespace myops::cli

// The child process of verify, table and stamp. Not for people: absent from --help.
#include <memory>
#include <utility>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_child(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("child", "");
  command->group("");
  auto words = std::make_shared<std::pair<std::string, std::string>>();
  command->add_option("TASK", words->first)->required();
  command->add_option("ARGUMENT", words->second)->required();
  command->callback([words, &status] { status = myops_child(words->first.c_str(), words->second.c_str()); });
}

}  // namespace myops::cli

// myops help [COMMAND]: the same as --help, where many look for it first.
#include <cstdio>
#include <memory>

#include "loader/cli/subcommand.h"

namespace myops::cli {

void add_help(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("help", "");
  command->group("");
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name);
  command->callback([&app, name, &status] {
    const auto commands = app.get_subcommands([&](const CLI::App* other) { return other->get_name() == *name; });
    if (!name->empty() && commands.empty()) throw CLI::ValidationError("there is no command " + *name);
    // app.help() would be that of the command which was given: this one.
    const std::string text = commands.empty()
                                 ? app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal)
                                 : commands.front()->help("myops");
    status = std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? kFailed : 0;
  });
}

}  // namespace myops::cli

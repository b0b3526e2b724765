// The `myops` command: finds, judges, loads and explains operator libraries.
#include <cstdio>
#include <exception>
#include <iostream>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace {

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const auto unknown = app.remaining();
  const std::string command = chosen.empty() ? "myops" : "myops " + chosen.front()->get_name();
  const std::string fault =
      chosen.empty() && !unknown.empty() ? "there is no command " + unknown.front() : std::string(error.what());
  std::fprintf(stderr, "%s: %s\nTry `%s --help`.\n", command.c_str(), fault.c_str(), command.c_str());
  return myops::cli::kUsage;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Finds PyTorch operator libraries, judges them without running them, loads what fits and proves the result.",
      "myops");
  app.set_version_flag("--version", std::string("myops ") + myops_loader_version());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 something asked for cannot be loaded, 2 usage.\n\nExample:\n  myops list\n  myops check "
      "some_extension.so");
  int status = 0;
  for (const auto add :
       {&myops::cli::add_list, &myops::cli::add_check, &myops::cli::add_plan, &myops::cli::add_verify,
        &myops::cli::add_table, &myops::cli::add_doctor, &myops::cli::add_facts, &myops::cli::add_stamp,
        &myops::cli::add_lock, &myops::cli::add_help, &myops::cli::add_child}) {
    add(app, status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    const int shown = app.exit(help);
    return std::cout.flush() ? shown : myops::cli::kFailed;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "myops: %s\n", error.what());
    return myops::cli::kFailed;
  }
}

// myops stamp FILE: measure what a plugin registers, in a child process, and write its manifest.
#include <algorithm>
#include <map>
#include <memory>

#include "loader/cli/subcommand.h"
#include "loader/include/myops/loader_c.h"

namespace myops::cli {

void add_stamp(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "stamp", "Measure what a plugin registers, in a child process, and write its manifest into it");
  command->footer(
      "Exit code: 1 if the plugin cannot be stamped, for instance since opening it ends the process.\n\n"
      "Example:\n  myops stamp libmine_cpu.so --schema libmine_schema.so --namespace mine");
  struct State {
    Options options;
    std::map<std::string, std::string> values;
  };
  auto state = std::make_shared<State>();
  const auto add = [&](const std::string& name, const char* type, const char* help) {
    std::string member = name.substr(name.find_first_not_of('-'));
    std::replace(member.begin(), member.end(), '-', '_');
    return command->add_option(name, state->values[member == "FILE" ? "file" : member], help)
        ->check(not_empty())
        ->type_name(type);
  };
  add("FILE", "FILE", "The plugin, linked with a reserved manifest note")->required();
  add("--output", "FILE", "Write the stamped plugin here and leave FILE alone");
  auto* schema = add("--schema", "FILE", "The library that defines the operators");
  add("--from", "FILE",
      "Take the registrations of this stamped library, and its name, version, namespace and set where none is given: "
      "for variants this machine cannot open")
      ->excludes(schema);
  add("--name", "NAME", "Name of the library [default: the file name without lib and .so]");
  add("--version", "VERSION", "Its version");
  add("--namespace", "NAME", "Namespace of its operators [default: of what it registers]");
  add("--set", "NAME", "Libraries released together [default: the namespace]");
  add("--level", "LEVEL", "psABI level of its code [default: what the file says, else x86-64]");
  add("--cuda-runtime", "VERSION",
      "Version of the CUDA toolkit that compiled it, for libraries that need CUDA [default: the major version it "
      "needs]");
  state->options.add_torch(*command);
  state->options.add_json(*command);
  command->callback([state, &status] {
    auto object = state->options.object();
    for (const auto& [name, value] : state->values) {
      if (!value.empty()) object[name] = value;
    }
    object["helper"] = child_command();
    status = run(&myops_stamp, object, state->options.json());
  });
}

}  // namespace myops::cli

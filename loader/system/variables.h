// Environment variables. Read with secure_getenv: a set-user-id program takes nothing from its caller's environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace myops::system {

// A variable that the loader or its Python package reads. Any other name does not compile, so that kAll has them all.
class VariableName {
 public:
  static constexpr const char* kAll[] = {"MYOPS_PLUGIN_PATH",
                                         "MYOPS_SYSTEM_PLUGIN_PATH",
                                         "MYOPS_TORCH",
                                         "MYOPS_REQUIRE",
                                         "MYOPS_DISABLE",
                                         "MYOPS_REPORT",
                                         "MYOPS_LOCK",
                                         "MYOPS_SKIP_CHECK",
                                         "MYOPS_LOG",
                                         "MYOPS_AUTOLOAD",
                                         "ATEN_CPU_CAPABILITY",
                                         "CUDA_VISIBLE_DEVICES",
                                         "CUDA_DEVICE_ORDER",
                                         "VIRTUAL_ENV",
                                         "PATH",
                                         "HOME",
                                         "PYTHONPATH",
                                         "LD_LIBRARY_PATH",
                                         "LD_PRELOAD"};

  consteval VariableName(const char* name) : text_(nullptr) {  // implicit: variable("PATH")
    for (const char* known : kAll) {
      if (std::string_view(known) == name) text_ = known;
    }
    if (text_ == nullptr) throw "this name is not in kAll";
  }
  const char* text() const { return text_; }

 private:
  const char* text_;
};

// The variable's value; none where it is not set, or where the process runs with raised privileges.
std::optional<std::string> variable(VariableName name);
// Those that are set, by name, in the order of kAll.
std::vector<std::pair<std::string, std::string>> set_variables();

// The parts between separators, empty ones included: "a::b" gives "a", "", "b"; "" gives none.
std::vector<std::string> split(std::string_view text, char separator);

// The same without empty parts and without blanks around a part: for lists of names.
std::vector<std::string> split_names(std::string_view text, char separator);

}  // namespace myops::system

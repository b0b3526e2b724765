#include "loader/bridge/operator_facts.h"

#include <c10/core/SymInt.h>
#include <c10/util/Exception.h>

#include "loader/bridge/dispatch_keys.h"

namespace myops::bridge {
namespace {

struct NoSuchType {};  // appears in no operator, so that typed<>() below always fails where torch knows a type

// The rest of the first line that begins with `label`.
std::string line_after(const std::string& text, const std::string& label) {
  const auto begin = text.find(label);
  if (begin == std::string::npos) return {};
  const auto end = text.find('\n', begin);
  const auto line = text.substr(begin + label.size(), end == std::string::npos ? end : end - begin - label.size());
  const auto first = line.find_first_not_of(' ');
  return first == std::string::npos ? std::string{} : line.substr(first);
}

// torch tells an operator's C++ type only in its complaint about a wrong one. A question with SymInt in it is compared
// with the SymInt type first and, where there is none, in its int form with the int type: "called as" tells which it
// was.
template <class WrongType>
std::string signature_from_complaint(const c10::OperatorHandle& handle) {
  try {
    static_cast<void>(handle.typed<WrongType>());
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    const auto asked = c10::impl::CppSignature::make<WrongType>().name();
    if (line_after(text, "accessed/called as:") == asked) return line_after(text, "correct signature:");
  }
  return {};
}

}  // namespace

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

c10::OperatorName operator_name(const std::string& full_name) {
  const auto colons = full_name.find("::");
  const auto dot = full_name.find('.', colons == std::string::npos ? 0 : colons);
  if (dot == std::string::npos) return {full_name, ""};
  return {full_name.substr(0, dot), full_name.substr(dot + 1)};
}

KernelTexts kernels(const c10::OperatorHandle& handle) { return parse_kernels(handle.dumpState(), is_key_name); }

std::string cpp_signature(const c10::OperatorHandle& handle) {
  return signature_from_complaint<NoSuchType(NoSuchType)>(handle);
}

std::string cpp_symint_signature(const c10::OperatorHandle& handle) {
  return signature_from_complaint<NoSuchType(c10::SymInt, NoSuchType)>(handle);
}

}  // namespace myops::bridge

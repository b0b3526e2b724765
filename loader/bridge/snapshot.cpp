#include "loader/bridge/snapshot.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "loader/bridge/dispatch_keys.h"
#include "loader/bridge/library_blocks.h"
#include "loader/bridge/operator_facts.h"
#include "loader/bridge/stand_in.h"

namespace myops::bridge {
namespace {

// Which of an operator's kernels are asked for.
struct Keys {
  bool all = false;
  std::set<std::string> some;

  bool contains(const std::string& key) const { return all || some.contains(key); }
};

struct Selection {
  bool everything = false;
  bool signatures = false;
  std::set<std::string> namespaces;
  std::map<std::string, Keys> operators;
  std::set<std::string> libraries;  // namespaces whose block is asked for
};

std::string text_of(const char* text) {
  if (text == nullptr) throw std::invalid_argument("a question without a name");
  return text;
}

void add(const myops_bridge_question& question, Selection& selection) {
  switch (question.ask) {
    case MYOPS_ASK_EVERYTHING:
      selection.everything = true;
      return;
    case MYOPS_ASK_NAMESPACE:
      selection.namespaces.insert(text_of(question.name));
      return;
    case MYOPS_ASK_OPERATOR:
      selection.operators[text_of(question.name)].all = true;
      return;
    case MYOPS_ASK_KERNEL:
      selection.operators[text_of(question.name)].some.insert(text_of(question.key));
      return;
    case MYOPS_ASK_LIBRARY:
      selection.libraries.insert(text_of(question.name));
      return;
    case MYOPS_ASK_SIGNATURES:
      selection.signatures = true;
      return;
    default:
      throw std::invalid_argument("unknown question " + std::to_string(question.ask));
  }
}

// Takes a copy of the names of all operators there are.
void add_whole_namespaces(Selection& selection) {
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op_namespace = name.getNamespace();
    if (selection.everything) {
      if (op_namespace) selection.libraries.emplace(*op_namespace);
    } else if (!op_namespace || !selection.namespaces.contains(std::string(*op_namespace))) {
      continue;
    }
    selection.operators[full_name(name)].all = true;
  }
}

Selection select(std::span<const myops_bridge_question> questions) {
  Selection selection;
  for (const auto& question : questions) add(question, selection);
  if (selection.everything || !selection.namespaces.empty()) add_whole_namespaces(selection);
  return selection;
}

void tell_signatures(const std::string& op, const c10::OperatorHandle& handle, const Listener& listener) {
  if (const auto text = cpp_signature(handle); !text.empty()) listener(MYOPS_TOLD_CPP, op, "", text);
  if (const auto text = cpp_symint_signature(handle); !text.empty()) listener(MYOPS_TOLD_CPP_SYMINT, op, "", text);
}

void tell_operator(const std::string& op, const Keys& keys, bool signatures, const Listener& listener) {
  const auto handle = c10::Dispatcher::singleton().findOp(operator_name(op));
  if (!handle) return;
  if (handle->hasSchema()) {
    listener(MYOPS_TOLD_SCHEMA, op, "", c10::toString(handle->schema()));
    listener(MYOPS_TOLD_DEFINED_AT, op, "", handle->debug());
  } else {
    listener(MYOPS_TOLD_DANGLING, op, "", "");
  }
  for (const auto& [key, text] : kernels(*handle)) {
    if (!keys.contains(key)) continue;
    if (is_stand_in(text)) listener(MYOPS_TOLD_EXPLAINED, op, key, "");
    if (!is_stand_in(text)) listener(MYOPS_TOLD_KERNEL, op, key, text);
  }
  if (signatures) tell_signatures(op, *handle, listener);
}

}  // namespace

void snapshot(std::span<const myops_bridge_question> questions, const Listener& listener) {
  const auto selection = select(questions);
  for (const auto& [op, keys] : selection.operators) tell_operator(op, keys, selection.signatures, listener);
  for (const auto& key : keys_with_fallback()) listener(MYOPS_TOLD_FALLBACK, "", key, "");
  for (const auto& [op_namespace, place] : library_blocks(selection.libraries)) {
    listener(MYOPS_TOLD_LIBRARY, op_namespace, "", place);
  }
}

}  // namespace myops::bridge

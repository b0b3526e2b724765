// The C ABI over snapshot and torch_facts: nothing but JSON text passes it, and no exception.
#pragma GCC visibility push(default)  // the only functions that are not hidden
#include "loader/bridge/bridge_c.h"
#pragma GCC visibility pop

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "loader/bridge/snapshot.h"
#include "loader/bridge/torch_facts.h"

namespace {

using nlohmann::json;

char* copy_to_caller(const json& value) {
  // Registration text is free text; what is no UTF-8 in it is replaced, not refused.
  const auto text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

template <class Answer>
json answer_or_error(Answer answer) {
  try {
    return answer();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  } catch (...) {
    return {{"error", "an exception of unknown type"}};
  }
}

template <class Answer>
char* guarded(Answer answer) noexcept {
  try {
    return copy_to_caller(answer_or_error(answer));
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

extern "C" {

int myops_bridge_abi(void) { return MYOPS_BRIDGE_ABI; }

char* myops_bridge_torch(void) {
  return guarded([] { return myops::bridge::torch_facts(); });
}

char* myops_bridge_snapshot(const char* request) {
  return guarded([&] { return myops::bridge::snapshot(json::parse(request == nullptr ? "" : request)); });
}

void myops_bridge_free(char* result) { std::free(result); }

}  // extern "C"

// What the bridge tells, collected to be compared.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loader/bridge/bridge_c.h"

namespace myops::testing {

using Texts = std::map<std::string, std::string>;

// What was told, sorted.
struct Told {
  Texts schemas, defined_at, cpp, cpp_symint, libraries;
  std::map<std::string, Texts> kernels;  // operator → key → registration text
  std::vector<std::string> dangling, fallbacks;
  std::set<std::pair<std::string, std::string>> explained;  // operator and key
  std::string error;
  int status = -1;

  friend bool operator==(const Told&, const Told&) = default;
};

inline void take(void* context, int fact, const char* name, const char* key, const char* text) {
  auto& told = *static_cast<Told*>(context);
  switch (fact) {
    case MYOPS_TOLD_SCHEMA:
      told.schemas[name] = text;
      return;
    case MYOPS_TOLD_DEFINED_AT:
      told.defined_at[name] = text;
      return;
    case MYOPS_TOLD_KERNEL:
      told.kernels[name][key] = text;
      return;
    case MYOPS_TOLD_CPP:
      told.cpp[name] = text;
      return;
    case MYOPS_TOLD_CPP_SYMINT:
      told.cpp_symint[name] = text;
      return;
    case MYOPS_TOLD_DANGLING:
      told.dangling.emplace_back(name);
      return;
    case MYOPS_TOLD_FALLBACK:
      told.fallbacks.emplace_back(key);
      return;
    case MYOPS_TOLD_LIBRARY:
      told.libraries[name] = text;
      return;
    case MYOPS_TOLD_EXPLAINED:
      told.explained.emplace(name, key);
      return;
    case MYOPS_TOLD_ERROR:
      told.error = text;
      return;
    default:
      ADD_FAILURE() << "fact " << fact;
  }
}

using Question = myops_bridge_question;

inline Told ask(const std::vector<Question>& questions) {
  Told told;
  told.status = myops_bridge_snapshot(questions.data(), questions.size(), take, &told);
  return told;
}

}  // namespace myops::testing

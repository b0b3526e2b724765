#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "loader/link/closure.h"
#include "loader/link/demangle.h"
#include "loader/link/guess.h"
#include "loader/link/lookup.h"
#include "loader/link/version_check.h"

namespace myops::link {
namespace {

struct Unanswered {
  const Object* object;
  const elf::Symbol* symbol;
  const Object* aborting = nullptr;  // the file on which the look-up would end the process
};

// The scope answers a reference through the first file that defines it (elf/dl-lookup.c, _dl_lookup_symbol_x).
bool is_answered(const std::vector<const Object*>& scope, Unanswered& reference) {
  const std::uint64_t hash = elf::ExportIndex::hash(reference.symbol->name);
  for (const Object* object : scope) {
    const LookupAnswer answer = look_up(*object, *reference.symbol, hash);
    // A file whose symbols are not known may be the one that has it: nothing behind it proves anything.
    if (answer == LookupAnswer::kDefined || answer == LookupAnswer::kUnknown) return true;
    if (answer != LookupAnswer::kAborts) continue;
    reference.aborting = object;
    return false;
  }
  return false;
}

std::vector<Unanswered> unanswered_symbols(const Closure& closure) {
  std::vector<Unanswered> unanswered;
  for (const auto& object : closure.opened) {
    for (const elf::Symbol& symbol : object->facts->imports) {
      Unanswered reference{object.get(), &symbol};
      if (!symbol.weak() && !is_answered(closure.scope, reference)) unanswered.push_back(reference);
    }
  }
  return unanswered;
}

std::vector<Missing> missing_libraries(const Closure& closure) {
  std::vector<Missing> missing;
  for (const MissingLibrary& library : closure.missing) {
    missing.push_back({MissingKind::kLibrary, library.soname, "", library.needed_by, library.soname, library.searched,
                       library.passed_over, library.found});
  }
  if (closure.gave_up) {
    const MissingLibrary& library = *closure.gave_up;
    missing.push_back({MissingKind::kUnknown, library.soname, "", library.needed_by, library.soname, {}});
  }
  return missing;
}

std::vector<Missing> missing_symbols(const Closure& closure) {
  const std::vector<Unanswered> unanswered = unanswered_symbols(closure);
  std::vector<std::string_view> names;
  for (const Unanswered& reference : unanswered) names.push_back(reference.symbol->name);
  const LibraryGuess guess(closure, names);
  const bool all_there = closure.missing.empty() && !closure.gave_up;
  const auto is_in_scope = [&](const std::string& soname) {
    return std::ranges::any_of(closure.scope, [&](const Object* object) { return is_called(*object, soname); });
  };
  Demangler demangled;
  std::vector<Missing> missing;
  for (const auto& [object, symbol, aborting] : unanswered) {
    std::string expected = symbol->version_file.empty() ? guess.of(symbol->name) : std::string(symbol->version_file);
    if (!all_there && (expected.empty() || !is_in_scope(expected))) continue;
    std::string found;
    if (aborting) {
      found = aborting->path + " has the symbol, but no versions, and version " + std::string(symbol->version) +
              " is needed: the dynamic linker ends the process";
    }
    missing.push_back({MissingKind::kSymbol,
                       std::string(symbol->name),
                       demangled(symbol->name),
                       object->path,
                       std::move(expected),
                       {},
                       {},
                       std::move(found)});
  }
  return missing;
}

}  // namespace

std::vector<Missing> resolve_names(const Closure& closure) {
  std::vector<Missing> missing = missing_libraries(closure);
  std::ranges::move(missing_versions(closure), std::back_inserter(missing));
  return missing;
}

std::vector<Missing> resolve(const Closure& closure) {
  std::vector<Missing> missing = resolve_names(closure);
  std::ranges::move(missing_symbols(closure), std::back_inserter(missing));
  return missing;
}

}  // namespace myops::link

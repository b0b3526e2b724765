#include "loader/link/lookup.h"

namespace myops::link {
namespace {

// Indexes 0 and 1 are no version and the base version, 2 the first (oldest) one: what glibc gives to references from
// before the library had versions.
constexpr std::uint16_t kFirstLaterVersion = 3;

class Matcher {
 public:
  Matcher(const Object& object, const elf::Symbol& import) : object_(object), import_(import) {}

  // True where `symbol` settles the question; answer() then has it.
  bool settles(const elf::Symbol& symbol) {
    if (symbol.name != import_.name) return false;
    if (!object_.facts->versioned_symbols) {
      const bool from_here = !import_.version_file.empty() && is_called(object_, import_.version_file);
      answer_ = !import_.version.empty() && from_here ? LookupAnswer::kAborts : LookupAnswer::kDefined;
      return true;
    }
    return import_.version.empty() ? settles_unversioned(symbol) : settles_versioned(symbol);
  }

  LookupAnswer answer() const {
    if (answer_ != LookupAnswer::kAbsent) return answer_;
    return default_versions_ == 1 ? LookupAnswer::kDefined : LookupAnswer::kAbsent;
  }

 private:
  bool settles_versioned(const elf::Symbol& symbol) {
    const bool same = symbol.version == import_.version;
    const bool plain = symbol.version.empty() && !symbol.hidden_version && !import_.hidden_version;
    if (same || plain) answer_ = LookupAnswer::kDefined;
    return same || plain;
  }

  bool settles_unversioned(const elf::Symbol& symbol) {
    if (symbol.version_index < kFirstLaterVersion) {
      answer_ = LookupAnswer::kDefined;
      return true;
    }
    if (!symbol.hidden_version) ++default_versions_;
    return false;
  }

  const Object& object_;
  const elf::Symbol& import_;
  LookupAnswer answer_ = LookupAnswer::kAbsent;
  int default_versions_ = 0;
};

}  // namespace

LookupAnswer look_up(const Object& object, const elf::Symbol& import, std::uint64_t hash) {
  if (!object.facts || object.facts->identity_only) return LookupAnswer::kUnknown;
  const elf::ElfFacts& facts = *object.facts;
  Matcher matcher(object, import);
  if (facts.export_index.size() == facts.exports.size()) {
    for (const std::uint32_t position : facts.export_index.find(hash)) {
      if (matcher.settles(facts.exports[position])) break;
    }
  } else {
    // Facts made by hand have no index.
    for (const elf::Symbol& symbol : facts.exports) {
      if (matcher.settles(symbol)) break;
    }
  }
  return matcher.answer();
}

}  // namespace myops::link

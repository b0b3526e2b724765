#include "loader/system/facts_cache.h"

#include <mutex>
#include <utility>

#include "loader/system/process_locks.h"

namespace myops::system {

Result<link::SharedFacts> FactsCache::read(const std::string& path, elf::Depth depth) {
  const auto bytes = FileBytes::open(path);
  if (!bytes) return bytes.error();
  const std::lock_guard lock(process_lock(ProcessLock::kFiles));
  Entry& entry = entries_[(*bytes)->identity()];
  if (depth == elf::Depth::kIdentity && entry.identity) return entry.identity;
  if (depth == elf::Depth::kIdentity && entry.versions) return entry.versions;
  if (depth == elf::Depth::kVersions && entry.versions) return entry.versions;
  if (depth >= elf::Depth::kSymbols) {
    if (auto symbols = entry.symbols.lock()) return link::SharedFacts(std::move(symbols));
  }
  auto parsed = elf::parse_elf(**bytes, depth);
  if (!parsed) return parsed.error();
  auto facts = std::make_shared<const elf::ElfFacts>(std::move(*parsed));
  switch (depth) {
    case elf::Depth::kIdentity:
      entry.identity = facts;
      break;
    case elf::Depth::kVersions:
      entry.versions = facts;
      break;
    case elf::Depth::kSymbols:
    case elf::Depth::kOpening:
      entry.symbols = facts;
      break;
  }
  return link::SharedFacts(facts);
}

FactsCache& facts_cache() {
  // Never destroyed: another library's destructor may still ask at exit.
  static auto* const cache = new FactsCache;
  return *cache;
}

}  // namespace myops::system

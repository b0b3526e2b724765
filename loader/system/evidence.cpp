#include "loader/system/evidence.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "loader/elf/elf_facts.h"
#include "loader/rules/lock.h"
#include "loader/rules/torch_checks.h"
#include "loader/system/candidate.h"
#include "loader/system/checksum.h"
#include "loader/system/file_bytes.h"
#include "loader/system/host.h"
#include "loader/system/mapped.h"
#include "loader/system/side_by_side.h"

namespace myops::system {
namespace {

// The linker itself can be asked what the global scope of a process that has torch holds, which is not told otherwise.
// A finding that says what is there instead, or that the linker would end the process, stands whatever else is there.
bool is_answered_here(const link::Missing& missing, const link::Closure& closure) {
  if (missing.kind != link::MissingKind::kSymbol || !missing.found.empty()) return false;
  for (const auto& object : closure.opened) {
    if (object->path != missing.needed_by) continue;
    const auto& imports = object->facts->imports;
    return std::all_of(imports.begin(), imports.end(), [&](const elf::Symbol& import) {
      return import.name != missing.name || is_in_global_scope(missing.name, std::string(import.version));
    });
  }
  return false;
}

// Build-ids say nothing of other libraries' symbols. Those of the C and C++ runtime carry versions, which are looked up
// in any case.
bool needs_proven_only(const elf::ElfFacts& elf, const rules::Manifest& manifest, const rules::TorchFacts& torch) {
  static constexpr std::string_view kRuntime[] = {"libc.so.",       "libm.so.",    "libgcc_s.so.", "libstdc++.so.",
                                                  "libpthread.so.", "libgomp.so.", "ld-linux-",    "libdl.so."};
  return std::ranges::all_of(elf.needed, [&](const std::string& name) {
    const auto begins = [&](std::string_view start) { return name.starts_with(start); };
    return rules::is_same_build(manifest, torch, name) || std::ranges::any_of(kRuntime, begins);
  });
}

// Of any file: headers, notes, and all of a small one. Of an ordinary plugin: names and symbols too, which the linker
// puts first.
constexpr std::size_t kFirstLook = std::size_t{16} << 10;
constexpr std::size_t kReadAhead = std::size_t{60} << 10;

// Files that are worth a thread: those of an ordinary set of libraries are not.
constexpr std::size_t kShare = 64;

// One file's trouble, a table that there is no memory for, is a reason against that file and not the end of the others.
template <typename Work>
void keep_trouble(rules::Evidence& evidence, const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    evidence.elf_error = Reason{Code::kUnreadable, evidence.file.path, "a readable file", errno_text(ENOMEM), ""};
  } catch (const std::exception& error) {
    evidence.elf_error = Reason{Code::kUnreadable, evidence.file.path, "a readable file", error.what(), ""};
  }
}

// They were read to tell a damaged file, and are most of what is known of one.
void let_go_of_symbols(elf::ElfFacts& facts) {
  facts.imports = std::vector<elf::Symbol>();
  facts.exports = std::vector<elf::Symbol>();
  facts.export_index = elf::ExportIndex();
  facts.strings.reset();
  facts.identity_only = facts.versions_known = true;
}

void take_manifest(const elf::ElfFacts& identity, rules::Evidence& evidence) {
  if (!identity.manifest) return;
  auto manifest = rules::parse_manifest(*identity.manifest);
  if (manifest) {
    evidence.manifest = std::move(*manifest);
  } else {
    evidence.manifest_error = manifest.error();
  }
}

}  // namespace

std::vector<rules::Evidence> Examiner::examine(std::vector<rules::CandidateFile> files) {
  std::vector<rules::Evidence> all(files.size());
  std::vector<std::uint8_t> followed(files.size());
  side_by_side(files.size(), kShare, [&](Turns& turns) {
    std::vector<std::byte> start;
    while (const auto turn = turns.next()) {
      rules::Evidence& evidence = all[*turn];
      evidence.file = std::move(files[*turn]);
      if (evidence.file.error) continue;
      keep_trouble(evidence, [&] { followed[*turn] = read(evidence, start); });
    }
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (followed[i]) keep_trouble(all[i], [&] { add_missing(all[i]); });
  }
  return all;
}

rules::Evidence Examiner::examine(rules::CandidateFile file) {
  std::vector<rules::CandidateFile> one;
  one.push_back(std::move(file));
  return std::move(examine(std::move(one)).front());
}

bool Examiner::read(rules::Evidence& evidence, std::vector<std::byte>& start) const {
  const auto bytes = FileBytes::open(evidence.file.path, /*seen_to_be_a_file=*/true);
  if (!bytes) {
    evidence.file.error = bytes.error();
    // One that may not be read is still somebody's, and may be in this process.
    if (struct stat status{}; ::stat(evidence.file.path.c_str(), &status) == 0) take_status(evidence.file, status);
    return false;
  }
  // The file that is judged is the one that was opened, even where the name meant another a moment ago.
  take_status(evidence.file, (*bytes)->status());
  if (lock_ && lock_->files.contains(evidence.file.real_path)) {
    evidence.sha256 = sha256_of(**bytes).value_or("");
  }
  (*bytes)->read_ahead(kFirstLook, start);
  // A symbol table that cannot be read is a fault of the file, whatever its first bytes say: those of all files that
  // would be opened are read.
  std::optional<bool> is_followed;
  const auto depth_for = [&](const elf::ElfFacts& identity) {
    if (!is_followed) {
      take_manifest(identity, evidence);
      is_followed = follows(identity, evidence);
      if (*is_followed) (*bytes)->read_ahead(kReadAhead, start);
    }
    return *is_followed ? elf::Depth::kOpening : elf::Depth::kIdentity;
  };
  auto facts = elf::parse_elf(**bytes, depth_for);
  if (!facts) {
    evidence.elf_error = facts.error();
    return false;
  }
  depth_for(*facts);  // nobody asked where a file of another machine is at fault
  facts->manifest.reset();
  if (*is_followed && do_names_suffice(*facts, evidence)) let_go_of_symbols(*facts);
  evidence.elf = std::make_shared<const elf::ElfFacts>(std::move(*facts));
  return *is_followed;
}

bool Examiner::follows(const elf::ElfFacts& identity, rules::Evidence& evidence) const {
  if (elf::machine_name(identity.machine, identity.bits, identity.little_endian) != host_.arch) return false;
  if (!identity.manifest && !resolve_foreign_) return false;
  if (torch_ && torch_->lib_dir.empty()) {
    evidence.notes.push_back("what it needs was not looked up: the files of that torch are not here");
    return false;
  }
  // The libraries at hand are those of this machine: they say nothing of what another has.
  if (host_.arch == running_arch()) return torch_.has_value();
  evidence.notes.push_back("what it needs was not looked up: that takes a machine for " + host_.arch +
                           ", and this is " + std::string(running_arch()));
  return false;
}

// Equal build-ids: the very files that the plugin was linked and measured with. Their symbols need not be looked up
// again.
bool Examiner::are_symbols_proven(const elf::ElfFacts& elf, const rules::Evidence& evidence) const {
  return evidence.manifest && rules::is_same_torch_build(*evidence.manifest, *torch_) &&
         needs_proven_only(elf, *evidence.manifest, *torch_);
}

bool Examiner::do_names_suffice(const elf::ElfFacts& elf, const rules::Evidence& evidence) const {
  if (are_symbols_proven(elf, evidence)) return true;
  // Left out on a machine without a GPU whatever symbols it may miss, and to tell that takes all of torch's CUDA.
  const bool lacks_gpu = evidence.manifest && evidence.manifest->cuda && host_.gpus.empty() && !takes_without_gpu_;
  return lacks_gpu && !resolve_foreign_;
}

void Examiner::add_missing(rules::Evidence& evidence) {
  const bool names_suffice = do_names_suffice(*evidence.elf, evidence);
  World& around = world(names_suffice ? Reading::kNames : Reading::kSymbols);
  const std::string& path = evidence.file.real_path;
  const std::string& soname = evidence.elf->soname;
  const link::Object object{path, soname.empty() ? path.substr(path.rfind('/') + 1) : soname, evidence.elf};
  const link::Closure closure = link::gather_closure(object, around.environment, around.read);
  read_needed(closure, around.environment);
  evidence.missing = names_suffice ? link::resolve_names(closure) : link::resolve(closure);
  evidence.resolved = !names_suffice || are_symbols_proven(*evidence.elf, evidence);
  if (!torch_->mapped) return;
  std::erase_if(evidence.missing, [&](const link::Missing& missing) { return is_answered_here(missing, closure); });
}

Examiner::World& Examiner::world(Reading reading) {
  std::optional<World>& slot = reading == Reading::kNames ? names_ : symbols_;
  if (!slot) {
    slot.emplace();
    slot->read = facts_reader(host_, *torch_, reading);
    slot->environment = link_environment(host_, *torch_, slot->read, reading);
  }
  return *slot;
}

}  // namespace myops::system

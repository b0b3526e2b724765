// What the dynamic linker would do with one file: which files it would need, in which order it would search them for
// symbols, and what would be missing. The rules are those of current glibc (elf/dl-load.c, dl-deps.c,
// dl-version.c, dl-lookup.c; read in 2.35, compared with 2.36) for dlopen(file, RTLD_NOW | RTLD_LOCAL).
//
// Pure: the caller supplies a `Reader` (a real one in loader/system, a map in tests). Meaningful for files of this
// machine only: ask elf::machine_name first.
//
//   Closure closure = gather_closure({path, soname, facts}, environment, read);
//   for (const Missing& missing : resolve(closure)) …
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/elf/elf_facts.h"
#include "loader/link/object.h"
#include "loader/reason.h"

namespace myops::link {

// What the linker needs to know of the world around the file.
struct Environment {
  Loaded loaded;                          // already in the process (by SONAME they answer a DT_NEEDED), in load order
  std::vector<std::size_t> global;        // indexes into `loaded` that are in the global scope, in scope order
  std::vector<std::string> library_path;  // LD_LIBRARY_PATH
  // Asks ld.so.cache for the path of a file name, among those for this machine's class; nullopt where it has none. Read
  // when it is first asked: most files have all that they need in the process.
  std::function<std::optional<std::string>(std::string_view name)> cache =
      [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
  // E.g. /lib/x86_64-linux-gnu, /usr/lib/x86_64-linux-gnu, /lib, /usr/lib. $LIB is the first without its slash.
  std::vector<std::string> default_folders;
  std::vector<std::string> hwcaps{};  // "glibc-hwcaps/x86-64-v3", …: subfolders tried first in every folder
  std::string platform = "x86_64";    // what $PLATFORM stands for (AT_PLATFORM)
};

// What a Reader has to say of a path: facts; or neither facts nor a fault where there is no such file, it may not be
// opened, or it is not for this machine (the search goes on, and for a file that is there `passed_over` says why); or a
// fault where it is no usable library (a text file, a truncated one, a folder, …), which ends the search, as it does in
// the dynamic linker.
struct ReadOutcome {
  SharedFacts facts;
  std::optional<Reason> fault;
  std::string passed_over{};

  ReadOutcome(SharedFacts read) : facts(std::move(read)) {}
  ReadOutcome(Reason why) : fault(std::move(why)) {}
  ReadOutcome(const Result<SharedFacts>& result) {
    if (result) facts = *result;
    if (!result) fault = result.error();
  }
  operator SharedFacts() const { return facts; }
};

// Reads the facts, with symbols, of the file at a path. The same pointer for two paths says that they are one file
// (device and inode). Facts without symbols (Depth::kIdentity, kVersions) are taken to define everything: nothing is
// proven against them.
using Reader = std::function<ReadOutcome(const std::string& path)>;

struct MissingLibrary {
  std::string soname;
  std::string needed_by;                   // path of the file that names it
  std::vector<std::string> searched;       // folders looked in, in order, without repetition (64 at most)
  std::string found{};                     // "PATH: why it cannot be used" where a file of that name ended the search
  std::vector<std::string> passed_over{};  // "PATH (why)" of files with that name over which the search went on
};

// Points into the environment that it was gathered in, which must outlive it.
struct Closure {
  // Where symbols are searched: the global scope, then the file and its dependencies breadth first.
  std::vector<const Object*> scope;
  // Files that opening would newly map, the file itself first; empty if it is loaded already.
  std::vector<std::unique_ptr<const Object>> opened;
  // Needed files that are not found, one for each name.
  std::vector<MissingLibrary> missing;
  // The first needed file that was not looked for to the end, since the files of this closure ask for more look-ups
  // than any real one (search.h, kMaxLooks). Neither it nor those after it are known to be there or to be missing.
  std::optional<MissingLibrary> gave_up{};
  // Everything that would then be in the process, in load order: who answers a version need.
  std::vector<const Object*> known{};
  // Those of `known` that were there, and were asked for by a name that they had not.
  std::vector<std::unique_ptr<const Object>> renamed{};
};

// Follows DT_NEEDED as glibc does: by SONAME among those loaded, then DT_RPATH of the file and its loaders (unless it
// has DT_RUNPATH) and of the executable, LD_LIBRARY_PATH, DT_RUNPATH, cache, default folders; $ORIGIN, $LIB, $PLATFORM
// expanded. A file for another machine or class is passed over; one that is no library, or that dlopen refuses, ends
// the search. `file.facts` must be there.
Closure gather_closure(const Object& file, const Environment& environment, const Reader& read);

enum class MissingKind {
  kLibrary,
  kSymbol,
  kVersion,
  kUnknown,  // a library of which nothing is known, see Closure::gave_up: no fault, but no success either
};

struct Missing {
  MissingKind kind;
  std::string name;       // library SONAME, raw symbol name, or version
  std::string demangled;  // symbols: the demangled name
  std::string needed_by;  // path of the object that needs it
  // The SONAME of the library that its version names, or the best guess ("" unknown).
  std::string expected_in;
  std::vector<std::string> searched;       // libraries: folders looked in
  std::vector<std::string> passed_over{};  // libraries: "PATH (why)" of files with that name that nobody can use
  // What is there instead, "" for plain absence. Libraries: the file that cannot be used, and why. Versions: the file
  // found and the newest version of that kind it has. Both: how the linker would end, where it would kill the process.
  std::string found{};
};

// Everything dlopen(file, RTLD_NOW) would find missing, for the file and for every object it would newly map:
// libraries, versions, then strong symbols in file order. Empty: it would succeed as far as linking goes.
//
// Where a library is missing, only those symbols are listed that it could not have provided: those whose version or
// namespace points at a library that is there.
// `expected_in` of a symbol without a version is a guess: the library in scope that defines most symbols of the same
// class or namespace, else a short table (c10:: → libc10.so, at:: and torch:: → libtorch_cpu.so, std:: →
// libstdc++.so.6, Py… → python).
std::vector<Missing> resolve(const Closure& closure);
// The same without the symbols: for a closure gathered in an environment whose symbols were not read.
std::vector<Missing> resolve_names(const Closure& closure);

// Demangled C++ name, or the name itself. Names whose demangled form could grow beyond reason (a hostile name of 100
// characters expands to gigabytes) stay as they are.
std::string demangle(const std::string& symbol);

}  // namespace myops::link

// What the dynamic linker would do with one file: which files it would need, in which order it would search them for
// symbols, and what would be missing.
//
// Pure: the caller supplies a `Reader` (a real one in loader/system, a map in tests).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/elf/elf_facts.h"

namespace myops::link {

using SharedFacts = std::shared_ptr<const elf::ElfFacts>;

// A file in the closure.
struct Object {
  std::string path;
  std::string soname;  // DT_SONAME, or the file name where there is none
  SharedFacts facts;   // with symbols
};

// What the linker needs to know of the world around the file.
struct Environment {
  std::vector<Object> loaded;                   // already in the process (by SONAME they answer a DT_NEEDED), in load order
  std::vector<std::size_t> global;              // indexes into `loaded` that are in the global scope, in scope order
  std::vector<std::string> library_path;        // LD_LIBRARY_PATH
  std::vector<std::pair<std::string, std::string>> cache;  // ld.so.cache: soname → path, for this machine's class only
  std::vector<std::string> default_folders;     // e.g. /lib/x86_64-linux-gnu, /usr/lib/x86_64-linux-gnu, /lib, /usr/lib
};

// Facts with symbols of the file at `path`, nullptr where there is no such file or it is not for this machine.
using Reader = std::function<SharedFacts(const std::string& path)>;

struct MissingLibrary {
  std::string soname;
  std::string needed_by;                  // path of the file that names it
  std::vector<std::string> searched;      // folders looked in, in order
};

struct Closure {
  std::vector<Object> scope;              // global scope, then the file and its dependencies breadth first: where symbols are searched
  std::vector<Object> opened;             // files that opening would newly map, the file itself first
  std::vector<MissingLibrary> missing;
};

// Follows DT_NEEDED as glibc does: by SONAME among those loaded, then DT_RPATH of the file and its loaders (unless it has
// DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH, cache, default folders; $ORIGIN, $LIB, $PLATFORM expanded.
Closure gather_closure(const Object& file, const Environment& environment, const Reader& read);

enum class MissingKind { kLibrary, kSymbol, kVersion };

struct Missing {
  MissingKind kind;
  std::string name;         // library SONAME, raw symbol name, or version
  std::string demangled;    // symbols: the demangled name
  std::string needed_by;    // path of the object that needs it
  std::string expected_in;  // where it was expected: the SONAME of the library its version names, or the best guess ("" unknown)
  std::vector<std::string> searched;  // libraries: folders looked in
};

// Everything dlopen(file, RTLD_NOW) would find missing, for the file and for every object it would newly map: libraries,
// versions, then strong symbols in file order. Empty: it would succeed as far as linking goes.
std::vector<Missing> resolve(const Closure& closure);

// Demangled C++ name, or the name itself.
std::string demangle(const std::string& symbol);

}  // namespace myops::link

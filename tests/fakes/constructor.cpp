// A plugin whose static constructor does one hostile thing, chosen by FAKE_CONSTRUCTOR. It registers nothing and needs
// no torch. Judging a file must never run this; only a test that means to die opens it.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>

namespace {

[[maybe_unused]] void aborts() { std::abort(); }

[[maybe_unused]] void loops() {
  for (;;) {
    const timespec second{1, 0};
    nanosleep(&second, nullptr);
  }
}

[[maybe_unused]] void illegal_instruction() { __builtin_trap(); }

[[maybe_unused]] void exits() { std::exit(7); }

// Sets another file's time back, as a package manager does that replaces it while a load is under way.
[[maybe_unused]] void changes_a_file() {
  const char* path = std::getenv("MYOPS_FAKE_CHANGES");
  if (path == nullptr) return;
  const timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  utimensat(AT_FDCWD, path, times, 0);
}

const bool ran = [] {
  FAKE_CONSTRUCTOR();
  return true;
}();

}  // namespace

// Keeps `ran`: a library must have something in it that the compiler may not drop.
bool myops_fake_constructor_ran() { return ran; }

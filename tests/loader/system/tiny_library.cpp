// A small shared object for tests to look at, open and change. Its constructor says so in the environment.
#include <stdlib.h>

namespace {
[[gnu::constructor]] void tell() { ::setenv("MYOPS_TINY_WAS_OPENED", "yes", 1); }
}  // namespace

extern "C" [[gnu::visibility("default")]] int myops_tiny_answer() { return 42; }

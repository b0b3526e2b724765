// The dynamic linker's cache.
#include "loader/system/ld_cache.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {

void read_linker_cache(Input input) {
  const auto entries = system::parse_ld_cache(text_of(input), system::cache_filter("x86_64", "x86-64-v3"));
  require(entries.size() <= input.size(), "an entry takes bytes of the cache");
}

}  // namespace myops::fuzz

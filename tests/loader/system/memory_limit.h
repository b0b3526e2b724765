// Little memory left, for as long as it lives.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <stdexcept>

namespace myops::testing {

class MemoryLimit {
 public:
  // `room`: what may still be had from the system; the allocator's own store comes on top.
  explicit MemoryLimit(std::size_t room) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("no limit to lower");
    before_ = limit.rlim_cur;
    limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + room;
    if (::setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("the limit was not taken");
  }
  ~MemoryLimit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = before_;
    ::setrlimit(RLIMIT_AS, &limit);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlim_t before_ = 0;
};

}  // namespace myops::testing

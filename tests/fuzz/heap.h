// How much memory operator new has handed out to this thread at a time.
#pragma once

#include <cstddef>

namespace myops::fuzz {

// From its making on.
class HeapPeak {
 public:
  HeapPeak();
  std::size_t bytes() const;

 private:
  std::size_t start_;
};

}  // namespace myops::fuzz

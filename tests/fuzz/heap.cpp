// Replaces operator new and delete ([replacement.functions]); the forms not here call these.
#include "tests/fuzz/heap.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace {

std::size_t now = 0, most = 0;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  now += malloc_usable_size(memory);
  if (now > most) most = now;
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) now -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step) / step * step));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace myops::fuzz {

HeapPeak::HeapPeak() : start_(now) { most = now; }
std::size_t HeapPeak::bytes() const { return most - start_; }

}  // namespace myops::fuzz

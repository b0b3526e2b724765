// Under AddressSanitizer by its hooks; otherwise operator new and delete are replaced ([replacement.functions]), and
// the forms that are not here call these.
#include "tests/fuzz/heap.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MYOPS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MYOPS_ADDRESS_SANITIZER
#endif

#ifdef MYOPS_ADDRESS_SANITIZER
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>

#include <cstdlib>
#include <new>
#endif

namespace {

// Of this thread: libFuzzer has another, which looks at the memory of the process.
thread_local std::size_t now = 0, most = 0;

void count(std::size_t bytes) {
  now += bytes;
  if (now > most) most = now;
}

}  // namespace

#ifdef MYOPS_ADDRESS_SANITIZER

namespace {

void allocated(const volatile void*, std::size_t bytes) { count(bytes); }

void released(const volatile void* memory) {
  if (memory != nullptr) now -= __sanitizer_get_allocated_size(memory);
}

const bool kIsCounted = __sanitizer_install_malloc_and_free_hooks(allocated, released) > 0;

}  // namespace

#else

namespace {

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  count(malloc_usable_size(memory));
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) now -= malloc_usable_size(memory);
  std::free(memory);
}

constexpr bool kIsCounted = true;

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

#endif

namespace myops::fuzz {

HeapPeak::HeapPeak() : start_(now) { most = now; }
std::size_t HeapPeak::bytes() const { return kIsCounted ? most - start_ : ~std::size_t{0}; }

}  // namespace myops::fuzz

#include "loader/system/process_locks.h"

#include <pthread.h>

#include <array>
#include <cstddef>
#include <new>

// One for all copies of the loader in a process: that of another package, or of another install. GCC makes an exported
// inline variable a unique object (STB_GNU_UNIQUE), and the dynamic linker binds all references to one of that name to
// the first there is. Its layout is the meaning of the name. (A program that holds the loader itself shares it where it
// exports its symbols.)
extern "C" __attribute__((visibility("default"))) inline std::recursive_mutex myops_dispatcher_lock_1{};

namespace myops::system {
namespace {

using Locks = std::array<std::recursive_mutex*, 4>;

Locks& locks();

void take_all() {
  for (std::recursive_mutex* lock : locks()) lock->lock();
}

void release_all() {
  for (auto lock = locks().rbegin(); lock != locks().rend(); ++lock) (*lock)->unlock();
}

// A recursive mutex belongs to a thread by its number, which is another in the child: it could not release them.
void renew_all() {
  for (std::recursive_mutex* lock : locks()) new (lock) std::recursive_mutex;
}

Locks& locks() {
  static auto* const all = [] {
    auto* made = new Locks{&myops_dispatcher_lock_1};
    for (std::size_t i = 1; i < made->size(); ++i) (*made)[i] = new std::recursive_mutex;
    return made;
  }();
  return *all;
}

// Before any thread can be in the middle of making them.
[[maybe_unused]] const int registered = (locks(), ::pthread_atfork(&take_all, &release_all, &renew_all));

}  // namespace

std::recursive_mutex& process_lock(ProcessLock which) { return *locks().at(static_cast<std::size_t>(which)); }

}  // namespace myops::system

#include "loader/system/process_locks.h"

#include <pthread.h>

#include <array>
#include <cstddef>

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
  for (std::recursive_mutex*& lock : locks()) lock = new std::recursive_mutex;
}

Locks& locks() {
  static auto* const all = [] {
    auto* made = new Locks;
    for (std::recursive_mutex*& lock : *made) lock = new std::recursive_mutex;
    return made;
  }();
  return *all;
}

// Before any thread can be in the middle of making them.
[[maybe_unused]] const int registered = (locks(), ::pthread_atfork(&take_all, &release_all, &renew_all));

}  // namespace

std::recursive_mutex& process_lock(ProcessLock which) { return *locks().at(static_cast<std::size_t>(which)); }

}  // namespace myops::system

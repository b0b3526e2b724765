#include "loader/system/turn.h"

namespace myops::system {
namespace {

std::recursive_mutex& dispatcher_mutex() {
  // Never destroyed: another thread, or a destructor at exit, may still ask.
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

}  // namespace

Turn::Turn() : lock_(dispatcher_mutex()) {}

}  // namespace myops::system

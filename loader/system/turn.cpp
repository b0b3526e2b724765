#include "loader/system/turn.h"

#include "loader/system/process_locks.h"

namespace myops::system {

Turn::Turn() : lock_(process_lock(ProcessLock::kDispatcher)) {}

}  // namespace myops::system

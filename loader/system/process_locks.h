// The locks of the whole process, and what becomes of them when it forks.
//
// A thread that forks takes all of them first. So nothing that they guard, torch's dispatcher among it, is in the
// middle of a change when the child gets its copy, and none is held there by a thread that the child has not got.
#pragma once

#include <mutex>

namespace myops::system {

// In the order in which one thread may take several.
enum class ProcessLock {
  kDispatcher,  // turn.h; shared by all copies of the loader in the process
  kReport,      // the answer of the last load
  kLog,         // who listens
  kFiles,       // facts_cache.h
};

// May be taken again by the thread that has it. Never destroyed: another thread, or a destructor at exit, may still
// ask.
std::recursive_mutex& process_lock(ProcessLock which);

}  // namespace myops::system

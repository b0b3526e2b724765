// The C ABI over snapshot and stand_in: no exception passes it.
#pragma GCC visibility push(default)  // the only functions that are not hidden
#include "loader/bridge/bridge_c.h"
#pragma GCC visibility pop

#include <exception>

#include "loader/bridge/snapshot.h"
#include "loader/bridge/stand_in.h"

namespace {

// Does the work; what it throws is told, and becomes status 1.
template <class Work>
int guarded(myops_bridge_tell tell, void* context, Work work) noexcept {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    tell(context, MYOPS_TOLD_ERROR, "", "", error.what());
  } catch (...) {
    tell(context, MYOPS_TOLD_ERROR, "", "", "an exception of unknown type");
  }
  return 1;
}

}  // namespace

extern "C" {

int myops_bridge_abi(void) { return MYOPS_BRIDGE_ABI; }

int myops_bridge_snapshot(const struct myops_bridge_question* questions, size_t count, myops_bridge_tell tell,
                          void* context) {
  return guarded(tell, context, [&] { myops::bridge::snapshot({questions, count}, {tell, context}); });
}

int myops_bridge_stand_in(const struct myops_bridge_absence* absences, size_t count, myops_bridge_tell tell,
                          void* context) {
  return guarded(tell, context, [&] { myops::bridge::stand_in({absences, count}); });
}

int myops_bridge_stand_aside(const struct myops_bridge_absence* places, size_t count, myops_bridge_tell tell,
                             void* context) {
  return guarded(tell, context, [&] { myops::bridge::stand_aside({places, count}); });
}

}  // extern "C"

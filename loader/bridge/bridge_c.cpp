// The C ABI over snapshot: no exception passes it.
#pragma GCC visibility push(default)  // the only functions that are not hidden
#include "loader/bridge/bridge_c.h"
#pragma GCC visibility pop

#include <exception>

#include "loader/bridge/snapshot.h"

extern "C" {

int myops_bridge_abi(void) { return MYOPS_BRIDGE_ABI; }

int myops_bridge_snapshot(const struct myops_bridge_question* questions, size_t count, myops_bridge_tell tell,
                          void* context) {
  try {
    myops::bridge::snapshot({questions, count}, {tell, context});
    return 0;
  } catch (const std::exception& error) {
    tell(context, MYOPS_TOLD_ERROR, "", "", error.what());
  } catch (...) {
    tell(context, MYOPS_TOLD_ERROR, "", "", "an exception of unknown type");
  }
  return 1;
}

}  // extern "C"

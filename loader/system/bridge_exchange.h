// What goes to the bridge and comes from it (loader/bridge/bridge_c.h). Pure: values in, values out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/bridge/bridge_c.h"
#include "loader/reason.h"
#include "loader/rules/absent.h"
#include "loader/rules/plan.h"
#include "loader/system/bridge.h"

namespace myops::system {

// They point into `request`, which must outlive them.
std::vector<myops_bridge_question> questions_of(const SnapshotRequest& request);

// Likewise.
std::vector<myops_bridge_absence> absences_of(const std::vector<rules::AbsentKernel>& kernels);

// Makes a state of the facts that are told.
class Told {
 public:
  // For myops_bridge_snapshot(), with the object as its context.
  static void tell(void* context, int fact, const char* name, const char* key, const char* text) noexcept;

  // What was told, or why it was not told to the end.
  Result<rules::DispatcherState> take(const std::string& bridge);
  std::optional<Reason> error(const std::string& bridge) const;

 private:
  void take_fact(int fact, const char* name, const char* key, const char* text);

  rules::DispatcherState state_;
  std::optional<std::string> error_;
};

}  // namespace myops::system

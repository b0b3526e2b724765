// The JSON that goes to the bridge and comes from it (loader/bridge/bridge_c.h). Pure: text in, values out.
#pragma once

#include <string>
#include <string_view>

#include "loader/reason.h"
#include "loader/rules/plan.h"
#include "loader/system/bridge.h"

namespace myops::system {

std::string to_text(const SnapshotRequest& request);

// Error: open-failed, where the bridge at `path` gave an error or something that is no snapshot.
Result<rules::DispatcherState> parse_snapshot(std::string_view text, const std::string& path);

}  // namespace myops::system

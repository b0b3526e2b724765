// Kernels that stand where nobody registered one, and tell why: of a device, or of autograd.
//
// They are registered through the dispatcher's own handles and can be taken away again. bridge_c.h has the thread rule.
#pragma once

#include <span>
#include <string_view>

#include "loader/bridge/bridge_c.h"

namespace myops::bridge {

// Throws std::exception where an absence is none that bridge_c.h names.
void stand_in(std::span<const myops_bridge_absence> absences);
void stand_aside(std::span<const myops_bridge_absence> places);

// Is it the registration text of a stand-in?
bool is_stand_in(std::string_view registration_text);

}  // namespace myops::bridge

// What the torch in this process says of itself.
#pragma once

#include <nlohmann/json.hpp>

namespace myops::bridge {

// The result of myops_bridge_torch().
nlohmann::json torch_facts();

}  // namespace myops::bridge

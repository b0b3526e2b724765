// A snapshot of torch's dispatcher as JSON: the request and the result of bridge_c.h.
#pragma once

#include <nlohmann/json.hpp>

namespace myops::bridge {

// Throws std::exception where the request is not one of bridge_c.h.
nlohmann::json snapshot(const nlohmann::json& request);

}  // namespace myops::bridge

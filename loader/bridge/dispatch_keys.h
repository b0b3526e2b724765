// The names of torch's dispatch keys, and the keys that have a backend fallback.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace myops::bridge {

// Does torch call a dispatch key, alias keys included, by this name?
bool is_key_name(std::string_view name);

// Names of the runtime keys with a backend fallback (torch's own ones included), in torch's order.
std::vector<std::string> keys_with_fallback();

}  // namespace myops::bridge

// A manifest's known fields as a JSON value, in the order in which they are written. Shared by the reader and the
// writer.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "loader/rules/manifest.h"

namespace myops::rules {

nlohmann::ordered_json known_fields(const Manifest& manifest);

}  // namespace myops::rules

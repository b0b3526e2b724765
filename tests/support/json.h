// What the loader answers, as a JSON value that tests take apart and compare.
#pragma once

#include <boost/json/serialize.hpp>
#include <nlohmann/json.hpp>

namespace myops::testing {

inline nlohmann::ordered_json as_json(const boost::json::object& object) {
  return nlohmann::ordered_json::parse(boost::json::serialize(object));
}

}  // namespace myops::testing

// The page of `myops doctor --html`: one file, which loads nothing. The template lies in loader/cli/page. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace myops::cli {

// `report` is what myops_doctor answers, "text" aside, `text` that. Whatever files are named, nothing in either becomes
// markup or code: the page's own script takes the report from a data block, and writes it as text.
std::string page_of(const nlohmann::ordered_json& report, const std::string& text);

}  // namespace myops::cli

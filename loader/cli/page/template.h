// doctor.html with its style and its script, before, between and after what a report fills in: made by template.cmake.
#pragma once

#include <string_view>

namespace myops::cli {

extern const std::string_view kPageBeforeText, kPageBeforeData, kPageAfterData;

}  // namespace myops::cli

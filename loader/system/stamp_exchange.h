// The JSON that the stamp and its measuring child exchange. Pure: text in, values out.
#pragma once

#include <string>

#include "loader/reason.h"
#include "loader/system/stamp_measure.h"

namespace myops::system {

std::string to_text(const MeasureOptions& options);
// Error: bad-option.
Result<MeasureOptions> parse_measure_options(const std::string& text);

std::string to_text(const Result<Registrations>& measured);
// The registrations, or the reason why there are none; open-failed where the text is neither: the child ended early.
Result<Registrations> parse_measured(const std::string& text, const std::string& file);

}  // namespace myops::system

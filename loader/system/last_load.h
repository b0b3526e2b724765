// What the last load in this process found, kept for whoever asks later. Any thread.
#pragma once

#include <optional>
#include <string>

#include "loader/rules/report.h"
#include "loader/system/answer.h"

namespace myops::system {

// `report`: the values behind the answer, where it was no fault.
void keep_last(Answer answer, std::optional<rules::Report> report);

// The answer of the last load; status 1 before the first, and where it was an error.
Answer last_report();

// Why the operator has no kernel for the key, as far as the last load knows: {"op", "key", "text"}, of one line.
Answer missing_kernel(const std::string& op, const std::string& key);

}  // namespace myops::system

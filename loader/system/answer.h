// What a function of the C ABI answers: a status and a JSON object.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "loader/reason.h"
#include "loader/rules/report.h"

namespace myops::system {

enum Status { kFine = 0, kCannotLoad = 1, kWrongOptions = 2 };

struct Answer {
  Status status = kFine;
  boost::json::object json;  // with the member "text": the same for a terminal
};

Answer report_answer(const rules::Report& report, rules::Detail detail, Status status);
Answer error_answer(const Reason& reason, Status status);

// Its text for a terminal.
std::string text_of(const Answer& answer);

// JSON text of any content: bytes that are no UTF-8 (a file may be named anything) become U+FFFD.
std::string dump(const boost::json::value& json);
std::string dump(const boost::json::object& json);

// A member of a JSON object as plain text: a string itself, a list's items one a line, else JSON text. None where the
// text is no object, has no such member or is nested deeper than any answer.
std::optional<std::string> member_text(const std::string& json, const std::string& name);

}  // namespace myops::system

// Takes the members of an options object one by one, and says which one is wrong.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/reason.h"

namespace myops::system {

class OptionReader {
 public:
  // Errors: bad-option, where the text is no JSON object. "" means {}.
  static Result<OptionReader> parse(std::string_view text);

  // Each leaves `out` as it is where the object has no such member.
  void read(const char* name, bool& out);
  void read(const char* name, int& out);
  void read(const char* name, std::string& out);
  void read(const char* name, std::vector<std::string>& out);
  // The member, an object; nullptr where there is none.
  const boost::json::object* object(const char* name);

  // The first fault, as bad-option: a member of another type, or one that nobody asked for.
  std::optional<Reason> error() const;

 private:
  using Value = boost::json::value;

  explicit OptionReader(boost::json::object object) : object_(std::move(object)) {}
  // The member if `is_right` holds for it; otherwise notes the fault.
  const Value* take(const char* name, bool (*is_right)(const Value&), const char* expected);

  boost::json::object object_;
  std::vector<std::string> known_;
  std::optional<Reason> error_;
};

}  // namespace myops::system

#include "loader/system/option_reader.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <limits>

#include "loader/rules/strict_json.h"

namespace myops::system {
namespace {

using Value = boost::json::value;

std::string excerpt(const Value& value) {
  constexpr std::size_t kLength = 60;
  const std::string text = boost::json::serialize(value);
  return text.size() <= kLength ? text : text.substr(0, kLength) + "…";
}

// The system would take a path for shorter than it is.
bool is_text(const Value& value) {
  return value.is_string() && value.get_string().find('\0') == boost::json::string::npos;
}
bool is_truth(const Value& value) { return value.is_bool(); }
bool is_object(const Value& value) { return value.is_object(); }
bool is_count(const Value& value) {
  return value.is_int64() && value.get_int64() >= 0 && value.get_int64() <= std::numeric_limits<int>::max();
}
bool is_list(const Value& value) { return value.is_array() && std::ranges::all_of(value.get_array(), is_text); }

}  // namespace

Result<OptionReader> OptionReader::parse(std::string_view text) {
  if (text.empty()) return OptionReader({});
  auto object = rules::parse_json(text, Code::kBadOption);
  if (!object || !object->is_object()) {
    return Reason{Code::kBadOption, "options", "a JSON object",
                  object ? excerpt(*object) : "no JSON: " + object.error().found, ""};
  }
  return OptionReader(std::move(object->get_object()));
}

const Value* OptionReader::take(const char* name, bool (*is_right)(const Value&), const char* expected) {
  known_.emplace_back(name);
  const Value* member = object_.if_contains(name);
  if (!member) return nullptr;
  if (is_right(*member)) return member;
  if (!error_) error_ = Reason{Code::kBadOption, name, expected, excerpt(*member), ""};
  return nullptr;
}

void OptionReader::read(const char* name, bool& out) {
  if (const Value* value = take(name, &is_truth, "true or false")) out = value->get_bool();
}

void OptionReader::read(const char* name, int& out) {
  if (const Value* value = take(name, &is_count, "a whole number, 0 or more"))
    out = static_cast<int>(value->get_int64());
}

void OptionReader::read(const char* name, std::string& out) {
  if (const Value* value = take(name, &is_text, "a string without NUL")) out = std::string(value->get_string());
}

void OptionReader::read(const char* name, std::vector<std::string>& out) {
  const Value* list = take(name, &is_list, "a list of strings without NUL");
  if (!list) return;
  out.clear();
  for (const Value& item : list->get_array()) out.emplace_back(item.get_string());
}

const boost::json::object* OptionReader::object(const char* name) {
  const Value* value = take(name, &is_object, "an object");
  return value ? &value->get_object() : nullptr;
}

std::optional<Reason> OptionReader::error() const {
  if (error_) return error_;
  for (const auto& [name, value] : object_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string expected;
    for (const std::string& known : known_) expected += (expected.empty() ? "" : ", ") + known;
    return Reason{Code::kBadOption, std::string(name), "one of " + expected, "an option of no such name",
                  "check the spelling"};
  }
  return std::nullopt;
}

}  // namespace myops::system

#include "loader/system/option_reader.h"

#include <algorithm>
#include <limits>

#include "loader/rules/strict_json.h"

namespace myops::system {
namespace {

using Value = nlohmann::ordered_json;

std::string excerpt(const Value& value) {
  constexpr std::size_t kLength = 60;
  const std::string text = value.dump(-1, ' ', false, Value::error_handler_t::replace);
  return text.size() <= kLength ? text : text.substr(0, kLength) + "…";
}

bool is_text(const Value& value) { return value.is_string(); }
bool is_truth(const Value& value) { return value.is_boolean(); }
bool is_object(const Value& value) { return value.is_object(); }
bool is_count(const Value& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<int>::max();
}
bool is_list(const Value& value) { return value.is_array() && std::all_of(value.begin(), value.end(), is_text); }

}  // namespace

Result<OptionReader> OptionReader::parse(std::string_view text) {
  if (text.empty()) return OptionReader(Value::object());
  auto object = rules::parse_json(text, Code::kBadOption);
  if (!object || !object->is_object()) {
    return Reason{Code::kBadOption, "options", "a JSON object",
                  object ? excerpt(*object) : "no JSON: " + object.error().found, ""};
  }
  return OptionReader(std::move(*object));
}

const Value* OptionReader::take(const char* name, bool (*is_right)(const Value&), const char* expected) {
  known_.emplace_back(name);
  const auto member = object_.find(name);
  if (member == object_.end()) return nullptr;
  if (is_right(*member)) return &*member;
  if (!error_) error_ = Reason{Code::kBadOption, name, expected, excerpt(*member), ""};
  return nullptr;
}

void OptionReader::read(const char* name, bool& out) {
  if (const Value* value = take(name, &is_truth, "true or false")) out = value->get<bool>();
}

void OptionReader::read(const char* name, int& out) {
  if (const Value* value = take(name, &is_count, "a whole number, 0 or more")) out = value->get<int>();
}

void OptionReader::read(const char* name, std::string& out) {
  if (const Value* value = take(name, &is_text, "a string")) out = value->get<std::string>();
}

void OptionReader::read(const char* name, std::vector<std::string>& out) {
  if (const Value* value = take(name, &is_list, "a list of strings")) out = value->get<std::vector<std::string>>();
}

const Value* OptionReader::object(const char* name) { return take(name, &is_object, "an object"); }

std::optional<Reason> OptionReader::error() const {
  if (error_) return error_;
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string expected;
    for (const std::string& known : known_) expected += (expected.empty() ? "" : ", ") + known;
    return Reason{Code::kBadOption, name, "one of " + expected, "an option of no such name", "check the spelling"};
  }
  return std::nullopt;
}

}  // namespace myops::system

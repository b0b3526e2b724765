#include "loader/rules/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;

// Walks the document without building it, and stops at the first fault. The library's parser keeps its own stack, so
// no nesting is too deep for this walk.
class Inspector final : public nlohmann::json_sax<Json> {
 public:
  std::string fault;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    if (members_++ == kMaxJsonMembers) {
      fault = "more than " + std::to_string(kMaxJsonMembers) + " members";
      return false;
    }
    if (names_.back().insert(name).second) return true;
    fault = "the key \"" + name + "\" twice in one object";
    return false;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    fault = "a syntax error at byte " + std::to_string(position);
    return false;
  }

 private:
  bool enter() {
    if (names_.size() == kMaxJsonDepth) {
      fault = "nesting deeper than " + std::to_string(kMaxJsonDepth);
      return false;
    }
    names_.emplace_back();
    return true;
  }
  bool leave() {
    names_.pop_back();
    return true;
  }

  std::size_t members_ = 0;
  std::vector<std::set<std::string>> names_;  // of each open object; arrays hold an empty place
};

}  // namespace

Result<Json> parse_json(std::string_view text, Code code) {
  const auto error = [&](std::string found) {
    return Reason{code, "JSON", "one JSON document without repeated keys", std::move(found), ""};
  };
  if (text.size() > kMaxJsonBytes) return error(std::to_string(text.size()) + " bytes");
  Inspector inspector;
  if (!Json::sax_parse(text, &inspector)) return error(inspector.fault);
  return Result<Json>(boost::system::in_place_value, Json::parse(text, nullptr, false));
}

}  // namespace myops::rules

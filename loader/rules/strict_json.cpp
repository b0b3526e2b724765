#include "loader/rules/strict_json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;

// Builds the document in the one walk through its text, and stops at the first fault. The library's parser keeps its
// own stack, so no nesting is too deep for this walk.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  std::string fault;

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return true; }  // not in JSON text
  bool start_object(std::size_t) override { return enter(Json::object()); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(Json::array()); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    if (members_++ == kMaxJsonMembers) {
      fault = "more than " + std::to_string(kMaxJsonMembers) + " members";
      return false;
    }
    if (!open_.back().names.insert(name).second) {
      fault = "the key \"" + name + "\" twice in one object";
      return false;
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    fault = "a syntax error at byte " + std::to_string(position);
    return false;
  }

 private:
  // Where it is stands, as the last of its parent, until it is closed: nothing is added to the parent meanwhile.
  struct Open {
    Json* container;
    std::unordered_set<std::string> names;  // of an object's members
  };

  Json* put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& container = *open_.back().container;
    if (container.is_array()) return &container.emplace_back(std::move(value));
    // Not by operator[], which looks through all members.
    return &container.get_ref<Json::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
  }

  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  bool enter(Json container) {
    if (open_.size() == kMaxJsonDepth) {
      fault = "nesting deeper than " + std::to_string(kMaxJsonDepth);
      return false;
    }
    open_.push_back({put(std::move(container)), {}});
    return true;
  }

  bool leave() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Open> open_;
  std::string key_;
  std::size_t members_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text, Code code) {
  const auto error = [&](std::string found) {
    return Reason{code, "JSON", "one JSON document without repeated keys", std::move(found), ""};
  };
  if (text.size() > kMaxJsonBytes) return error(std::to_string(text.size()) + " bytes");
  Builder builder;
  if (!Json::sax_parse(text, &builder)) return error(builder.fault);
  return Result<Json>(boost::system::in_place_value, builder.take());
}

}  // namespace myops::rules

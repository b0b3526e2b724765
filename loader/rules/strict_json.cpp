#include "loader/rules/strict_json.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>  // compiled here, once: no library of Boost is linked
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;
using boost::json::error_code;
using boost::json::string_view;

// Builds the document in the one walk through its text, and stops at the first fault. The parser keeps its own stack,
// so no nesting is too deep for this walk.
class Builder {
 public:
  static constexpr std::size_t max_object_size = kMaxJsonBytes;
  static constexpr std::size_t max_array_size = kMaxJsonBytes;
  static constexpr std::size_t max_key_size = kMaxJsonBytes;
  static constexpr std::size_t max_string_size = kMaxJsonBytes;

  std::string fault;  // "" where it is the syntax

  Json take() { return std::move(root_); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code& error) { return enter(Json::object(), error); }
  bool on_object_end(std::size_t, error_code&) { return leave(); }
  bool on_array_begin(error_code& error) { return enter(Json::array(), error); }
  bool on_array_end(std::size_t, error_code&) { return leave(); }
  bool on_string_part(string_view part, std::size_t, error_code&) { return append(part); }
  bool on_string(string_view last, std::size_t, error_code&) {
    append(last);
    return add(std::exchange(text_, {}));
  }
  bool on_key_part(string_view part, std::size_t, error_code&) { return append(part); }
  bool on_key(string_view last, std::size_t, error_code& error);
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t value, string_view, error_code&) {
    return value < 0 ? add(value) : add(static_cast<std::uint64_t>(value));  // as the library's own parser has them
  }
  bool on_uint64(std::uint64_t value, string_view, error_code&) { return add(value); }
  bool on_double(double value, string_view, error_code& error) {
    return std::isfinite(value) ? add(value) : stop("", error);
  }
  bool on_bool(bool value, error_code&) { return add(value); }
  bool on_null(error_code&) { return add(nullptr); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  // The names of an object's members, to tell a repeated one.
  class Names {
   public:
    bool add(const std::string& name) {
      if (few_.size() < kFew) {
        if (std::ranges::find(few_, name) != few_.end()) return false;
        few_.push_back(name);
        return true;
      }
      if (many_.empty()) many_.insert(few_.begin(), few_.end());
      return many_.insert(name).second;
    }

   private:
    static constexpr std::size_t kFew = 16;
    std::vector<std::string> few_;
    std::unordered_set<std::string> many_;
  };

  static constexpr std::size_t kRoom = 4;

  // Where it is stands, as the last of its parent, until it is closed: nothing is added to the parent meanwhile.
  struct Open {
    Json* container;
    Names names{};
  };

  bool append(string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }

  bool stop(std::string why, error_code& error) {
    fault = std::move(why);
    error = boost::json::error::syntax;
    return false;
  }

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

  bool enter(Json container, error_code& error) {
    if (open_.size() == kMaxJsonDepth) return stop("nesting deeper than " + std::to_string(kMaxJsonDepth), error);
    open_.push_back({put(std::move(container))});
    // Members move by copies of their names when there is no room: most objects need no more than this.
    if (Json& opened = *open_.back().container; opened.is_object()) opened.get_ref<Json::object_t&>().reserve(kRoom);
    return true;
  }

  bool leave() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Open> open_;
  std::string text_;  // of the string or key that is being read
  std::string key_;
  std::size_t members_ = 0;
};

bool Builder::on_key(string_view last, std::size_t, error_code& error) {
  append(last);
  key_ = std::exchange(text_, {});
  if (members_++ == kMaxJsonMembers) return stop("more than " + std::to_string(kMaxJsonMembers) + " members", error);
  return open_.back().names.add(key_) || stop("the key \"" + key_ + "\" twice in one object", error);
}

}  // namespace

Result<Json> parse_json(std::string_view text, Code code) {
  const auto error = [&](std::string found) {
    return Reason{code, "JSON", "one JSON document without repeated keys", std::move(found), ""};
  };
  if (text.size() > kMaxJsonBytes) return error(std::to_string(text.size()) + " bytes");
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth + 1;  // what is deeper is told by the builder
  boost::json::basic_parser<Builder> parser(options);
  error_code failed;
  const std::size_t end = parser.write_some(/*more=*/false, text.data(), text.size(), failed);
  Builder& builder = parser.handler();
  if (!builder.fault.empty()) return error(builder.fault);
  if (failed || end < text.size()) return error("a syntax error at byte " + std::to_string(end + 1));
  return Result<Json>(boost::system::in_place_value, builder.take());
}

}  // namespace myops::rules

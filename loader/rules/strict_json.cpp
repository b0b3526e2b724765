#include "loader/rules/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>  // compiled here, once: no library of Boost is linked
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace myops::rules {
namespace {

using boost::json::error_code;
using boost::json::string_view;

// What the parser calls. It keeps its own stack, so no nesting is too deep for this walk, which stops at the first
// fault.
class Walker {
 public:
  static constexpr std::size_t max_object_size = kMaxJsonBytes;
  static constexpr std::size_t max_array_size = kMaxJsonBytes;
  static constexpr std::size_t max_key_size = kMaxJsonBytes;
  static constexpr std::size_t max_string_size = kMaxJsonBytes;

  explicit Walker(JsonListener& listener) : listener_(listener) {}

  std::string fault;  // "" where it is the syntax

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code& error) {
    if (!enter(error)) return false;
    listener_.object_begins();
    return true;
  }
  bool on_object_end(std::size_t members, error_code&) {
    leave();
    listener_.object_ends(members);
    return true;
  }
  bool on_array_begin(error_code& error) {
    if (!enter(error)) return false;
    listener_.array_begins();
    return true;
  }
  bool on_array_end(std::size_t elements, error_code&) {
    leave();
    listener_.array_ends(elements);
    return true;
  }
  bool on_string_part(string_view part, std::size_t, error_code&) {
    parts_.append(part.data(), part.size());
    return true;
  }
  bool on_string(string_view last, std::size_t, error_code&) {
    if (parts_.empty()) {
      listener_.text(last);
    } else {
      listener_.text(parts_.append(last.data(), last.size()));
      parts_.clear();
    }
    return true;
  }
  bool on_key_part(string_view part, std::size_t, error_code&) {
    parts_.append(part.data(), part.size());
    return true;
  }
  bool on_key(string_view last, std::size_t, error_code& error);
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t value, string_view, error_code&) { return scalar(value); }
  bool on_uint64(std::uint64_t value, string_view, error_code&) { return scalar(value); }
  bool on_double(double value, string_view, error_code& error) {
    return std::isfinite(value) ? scalar(value) : stop("", error);
  }
  bool on_bool(bool value, error_code&) { return scalar(value); }
  bool on_null(error_code&) { return scalar(nullptr); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  // The names of an object's members, to tell a repeated one. As long as each is greater than the one before, as a
  // sorted writer has them, none is.
  class Names {
   public:
    bool add(std::string_view name) {
      if (few_.empty() || (sorted_ && few_.back() < name)) {
        few_.push_back(name);
        return true;
      }
      sorted_ = false;
      if (few_.size() < kFew) {
        if (std::ranges::find(few_, name) != few_.end()) return false;
        few_.push_back(name);
        return true;
      }
      if (many_.empty()) many_.insert(few_.begin(), few_.end());
      return many_.insert(name).second;
    }
    void clear() {
      few_.clear();
      many_.clear();
      sorted_ = true;
    }

   private:
    static constexpr std::size_t kFew = 64;
    std::vector<std::string_view> few_;
    std::unordered_set<std::string_view> many_;
    bool sorted_ = true;
  };

  bool stop(std::string why, error_code& error) {
    fault = std::move(why);
    error = boost::json::error::syntax;
    return false;
  }

  bool enter(error_code& error) {
    if (depth_ == kMaxJsonDepth) return stop(fmt::format("nesting deeper than {}", kMaxJsonDepth), error);
    if (depth_++ == names_.size()) names_.emplace_back();
    return true;
  }

  void leave() { names_[--depth_].clear(); }

  bool scalar(const boost::json::value& value) {
    listener_.scalar(value);
    return true;
  }

  JsonListener& listener_;
  std::vector<Names> names_;  // of the objects that are open, each at its depth
  std::size_t depth_ = 0;
  std::string parts_;             // of a text or a name that is not in the document as it is
  std::deque<std::string> keys_;  // such names
  std::size_t members_ = 0;
};

bool Walker::on_key(string_view last, std::size_t, error_code& error) {
  std::string_view key = last;
  if (!parts_.empty()) {
    parts_.append(last.data(), last.size());
    key = keys_.emplace_back(std::exchange(parts_, {}));
  }
  if (members_++ == kMaxJsonMembers) return stop("more than " + std::to_string(kMaxJsonMembers) + " members", error);
  if (!names_[depth_ - 1].add(key)) return stop("the key \"" + std::string(key) + "\" twice in one object", error);
  listener_.member(key);
  return true;
}

class Builder final : public JsonListener {
 public:
  Builder() { stack_.reset(); }
  boost::json::value take() { return stack_.release(); }

  void object_begins() override {}
  void object_ends(std::size_t members) override { stack_.push_object(members); }
  void array_begins() override {}
  void array_ends(std::size_t elements) override { stack_.push_array(elements); }
  void member(std::string_view name) override { stack_.push_key(name); }
  void text(std::string_view value) override { stack_.push_string(value); }
  void scalar(const boost::json::value& value) override {
    switch (value.kind()) {
      case boost::json::kind::bool_:
        return stack_.push_bool(value.get_bool());
      case boost::json::kind::int64:
        return stack_.push_int64(value.get_int64());
      case boost::json::kind::uint64:
        return stack_.push_uint64(value.get_uint64());
      case boost::json::kind::double_:
        return stack_.push_double(value.get_double());
      default:
        return stack_.push_null();
    }
  }

 private:
  boost::json::value_stack stack_;
};

}  // namespace

Result<void> read_json(std::string_view text, Code code, JsonListener& listener) {
  const auto error = [&](std::string found) {
    return Reason{code, "JSON", "one JSON document without repeated keys", std::move(found), ""};
  };
  if (text.size() > kMaxJsonBytes) return error(std::to_string(text.size()) + " bytes");
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth + 1;  // what is deeper is told by the walker
  boost::json::basic_parser<Walker> parser(options, listener);
  error_code failed;
  const std::size_t end = parser.write_some(/*more=*/false, text.data(), text.size(), failed);
  if (const std::string& fault = parser.handler().fault; !fault.empty()) return error(fault);
  if (failed || end < text.size()) return error("a syntax error at byte " + std::to_string(end + 1));
  return {};
}

Result<boost::json::value> parse_json(std::string_view text, Code code) {
  Builder builder;
  if (auto read = read_json(text, code, builder); !read) return read.error();
  return builder.take();
}

}  // namespace myops::rules

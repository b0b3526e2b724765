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

// Builds the document in the one walk through its text, and stops at the first fault. The parser keeps its own stack,
// so no nesting is too deep for this walk.
class Builder {
 public:
  static constexpr std::size_t max_object_size = kMaxJsonBytes;
  static constexpr std::size_t max_array_size = kMaxJsonBytes;
  static constexpr std::size_t max_key_size = kMaxJsonBytes;
  static constexpr std::size_t max_string_size = kMaxJsonBytes;

  std::string fault;  // "" where it is the syntax

  void build_in(boost::json::storage_ptr memory) { stack_.reset(std::move(memory)); }

  boost::json::value take() { return stack_.release(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code& error) { return enter(error); }
  bool on_object_end(std::size_t size, error_code&) {
    leave();
    stack_.push_object(size);
    return true;
  }
  bool on_array_begin(error_code& error) { return enter(error); }
  bool on_array_end(std::size_t size, error_code&) {
    leave();
    stack_.push_array(size);
    return true;
  }
  bool on_string_part(string_view part, std::size_t, error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(string_view last, std::size_t, error_code&) {
    stack_.push_string(last);
    return true;
  }
  bool on_key_part(string_view part, std::size_t, error_code&) {
    stack_.push_chars(part);
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(string_view last, std::size_t, error_code& error);
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t value, string_view, error_code&) {
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, string_view, error_code&) {
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double value, string_view, error_code& error) {
    if (!std::isfinite(value)) return stop("", error);
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  // The names of an object's members, to tell a repeated one.
  class Names {
   public:
    bool add(std::string_view name) {
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
    }

   private:
    static constexpr std::size_t kFew = 64;
    std::vector<std::string_view> few_;
    std::unordered_set<std::string_view> many_;
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

  boost::json::value_stack stack_;
  std::vector<Names> names_;  // of the objects that are open, each at its depth
  std::size_t depth_ = 0;
  std::string key_;               // the parts of one that is not in the text as it is
  std::deque<std::string> keys_;  // such ones
  std::size_t members_ = 0;
};

bool Builder::on_key(string_view last, std::size_t, error_code& error) {
  stack_.push_key(last);
  string_view key = last;
  if (!key_.empty()) {
    key_.append(last.data(), last.size());
    key = keys_.emplace_back(std::exchange(key_, {}));
  }
  if (members_++ == kMaxJsonMembers) return stop("more than " + std::to_string(kMaxJsonMembers) + " members", error);
  return names_[depth_ - 1].add(key) || stop("the key \"" + std::string(key) + "\" twice in one object", error);
}

}  // namespace

Result<boost::json::value> parse_json(std::string_view text, Code code, boost::json::storage_ptr memory) {
  const auto error = [&](std::string found) {
    return Reason{code, "JSON", "one JSON document without repeated keys", std::move(found), ""};
  };
  if (text.size() > kMaxJsonBytes) return error(std::to_string(text.size()) + " bytes");
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth + 1;  // what is deeper is told by the builder
  boost::json::basic_parser<Builder> parser(options);
  parser.handler().build_in(std::move(memory));
  error_code failed;
  const std::size_t end = parser.write_some(/*more=*/false, text.data(), text.size(), failed);
  Builder& builder = parser.handler();
  if (!builder.fault.empty()) return error(builder.fault);
  if (failed || end < text.size()) return error("a syntax error at byte " + std::to_string(end + 1));
  return builder.take();
}

}  // namespace myops::rules

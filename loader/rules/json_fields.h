// Typed fields out of a JSON object: each is checked for presence, type and form, and the first fault is kept as a
// Reason that names the field, what was expected and what was found. Never throws.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/reason.h"

namespace myops::rules {

// What the text of a field may look like.
struct TextForm {
  std::string_view description;  // for people: "1 to 128 letters, digits, '_', '.' or '-'"
  bool (*accepts)(std::string_view);
};

extern const TextForm kAnyText;  // up to 16 KiB, may be empty

// The first fault met while reading one document; the readers that share it read nothing more after it.
class FirstFault {
 public:
  explicit FirstFault(Code code) : code_(code) {}
  void set(std::string subject, std::string expected, std::string found);
  const std::optional<Reason>& reason() const { return reason_; }

 private:
  Code code_;
  std::optional<Reason> reason_;
};

class ObjectReader {
 public:
  // The members of a document, which a fault calls by their names, or "NAME.member". All that a reader is given must
  // outlive it.
  ObjectReader(const boost::json::object& object, FirstFault& fault, std::string_view name = "");
  // Those of a member of `outer`: "outer.name.member".
  ObjectReader(const boost::json::object& object, const ObjectReader& outer, std::string_view name);

  // The field's value; an empty or zero one after a fault, or where an optional field is absent.
  std::string text(std::string_view name, const TextForm& form) const;
  std::string optional_text(std::string_view name, const TextForm& form) const;
  std::vector<std::string> texts(std::string_view name, const TextForm& form) const;
  std::vector<std::string> optional_texts(std::string_view name, const TextForm& form) const;
  std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most) const;

  // The member object or array, nullptr where it is absent; of another type: a fault.
  const boost::json::object* object(std::string_view name) const;
  const boost::json::array* array(std::string_view name) const;
  bool has(std::string_view name) const;

  // Full name of a field, for messages.
  std::string path(std::string_view name) const;
  void missing(std::string_view name, std::string_view expected) const;

  // For members of any name: the name of one must be of this form, its value a text or an object (nullptr: it is not).
  void check_name(std::string_view name, const TextForm& form) const;
  std::string text_of(std::string_view name, const boost::json::value& value, const TextForm& form) const;
  const boost::json::object* object_of(std::string_view name, const boost::json::value& value) const;

 private:
  const boost::json::value* member(std::string_view name) const;

  const boost::json::object& object_;
  FirstFault& fault_;
  const ObjectReader* outer_ = nullptr;
  std::string_view name_;
};

// A short description of a value for a fault: `"2.x"`, `a number`, `an object`, …
std::string described(const boost::json::value& value);

}  // namespace myops::rules

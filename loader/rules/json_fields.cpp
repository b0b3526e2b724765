#include "loader/rules/json_fields.h"

#include <boost/json/serialize.hpp>

namespace myops::rules {
namespace {

using boost::json::value;

constexpr std::size_t kMaxText = 16384;
constexpr std::size_t kMaxShown = 64;
constexpr std::size_t kMaxSubject = 256;  // it may be made of names out of the document

}  // namespace

constexpr TextForm kAnyText = {"a text of up to 16384 bytes",
                               [](std::string_view text) { return text.size() <= kMaxText; }};

std::string described(const value& json) {
  switch (json.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "a boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return boost::json::serialize(json);
    case boost::json::kind::double_:
      return "a number";
    case boost::json::kind::string:
      break;
    case boost::json::kind::array:
      return "an array";
    case boost::json::kind::object:
      return "an object";
  }
  const std::string_view text = json.get_string();
  if (text.size() > kMaxShown) return "a text of " + std::to_string(text.size()) + " bytes";
  return "\"" + std::string(text) + "\"";
}

void FirstFault::set(std::string subject, std::string expected, std::string found) {
  if (reason_) return;
  if (subject.size() > kMaxSubject) subject.resize(kMaxSubject);
  reason_ = Reason{code_, std::move(subject), std::move(expected), std::move(found), ""};
}

ObjectReader::ObjectReader(const boost::json::object& object, FirstFault& fault, std::string_view name)
    : object_(object), fault_(fault), name_(name) {}

ObjectReader::ObjectReader(const boost::json::object& object, const ObjectReader& outer, std::string_view name)
    : object_(object), fault_(outer.fault_), outer_(&outer), name_(name) {}

std::string ObjectReader::path(std::string_view name) const {
  std::string start = outer_ ? outer_->path(name_) : std::string(name_);
  if (!start.empty()) start += '.';
  return start.append(name);
}

const value* ObjectReader::member(std::string_view name) const {
  return fault_.reason() ? nullptr : object_.if_contains(name);
}

bool ObjectReader::has(std::string_view name) const { return member(name) != nullptr; }

void ObjectReader::missing(std::string_view name, std::string_view expected) const {
  fault_.set(path(name), std::string(expected), "nothing");
}

void ObjectReader::check_name(std::string_view name, const TextForm& form) const {
  if (!form.accepts(name)) fault_.set(path(name), std::string(form.description), described(value(name)));
}

std::string ObjectReader::text_of(std::string_view name, const value& json, const TextForm& form) const {
  const boost::json::string* text = json.if_string();
  if (text && form.accepts(*text)) return std::string(*text);
  fault_.set(path(name), std::string(form.description), described(json));
  return "";
}

const boost::json::object* ObjectReader::object_of(std::string_view name, const value& json) const {
  if (!json.is_object()) fault_.set(path(name), "an object", described(json));
  return json.if_object();
}

std::string ObjectReader::optional_text(std::string_view name, const TextForm& form) const {
  const value* json = member(name);
  return json ? text_of(name, *json, form) : "";
}

std::string ObjectReader::text(std::string_view name, const TextForm& form) const {
  const value* json = member(name);
  if (json) return text_of(name, *json, form);
  missing(name, form.description);
  return "";
}

std::vector<std::string> ObjectReader::optional_texts(std::string_view name, const TextForm& form) const {
  std::vector<std::string> items;
  const boost::json::array* values = array(name);
  if (!values) return items;
  items.reserve(values->size());
  for (const value& json : *values) {
    const boost::json::string* text = json.if_string();
    if (text && form.accepts(*text)) {
      items.emplace_back(*text);
      continue;
    }
    const std::string item = std::string(name) + "[" + std::to_string(items.size()) + "]";
    fault_.set(path(item), std::string(form.description), described(json));
    break;
  }
  return items;
}

std::vector<std::string> ObjectReader::texts(std::string_view name, const TextForm& form) const {
  if (!has(name)) missing(name, "an array");
  return optional_texts(name, form);
}

std::uint64_t ObjectReader::number(std::string_view name, std::uint64_t least, std::uint64_t most) const {
  const std::string expected = "a number from " + std::to_string(least) + " to " + std::to_string(most);
  const value* json = member(name);
  if (!json) {
    missing(name, expected);
    return 0;
  }
  const bool is_natural = json->is_uint64() || (json->is_int64() && json->get_int64() >= 0);
  const std::uint64_t number = is_natural ? json->to_number<std::uint64_t>() : 0;
  if (is_natural && number >= least && number <= most) return number;
  fault_.set(path(name), expected, described(*json));
  return 0;
}

const boost::json::object* ObjectReader::object(std::string_view name) const {
  const value* json = member(name);
  return json ? object_of(name, *json) : nullptr;
}

const boost::json::array* ObjectReader::array(std::string_view name) const {
  const value* json = member(name);
  if (json && !json->is_array()) fault_.set(path(name), "an array", described(*json));
  return json ? json->if_array() : nullptr;
}

}  // namespace myops::rules

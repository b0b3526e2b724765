#include "loader/rules/json_fields.h"

#include <nlohmann/json.hpp>

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxText = 16384;
constexpr std::size_t kMaxShown = 64;
constexpr std::size_t kMaxSubject = 256;  // it may be made of names out of the document

}  // namespace

constexpr TextForm kAnyText = {"a text of up to 16384 bytes",
                               [](std::string_view text) { return text.size() <= kMaxText; }};

std::string described(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kMaxShown) return "a text of " + std::to_string(text.size()) + " bytes";
    return "\"" + text + "\"";
  }
  if (value.is_number_integer()) return value.dump();
  if (value.is_object() || value.is_array()) return std::string("an ") + value.type_name();
  return value.is_null() ? "null" : std::string("a ") + value.type_name();
}

void FirstFault::set(std::string subject, std::string expected, std::string found) {
  if (reason_) return;
  if (subject.size() > kMaxSubject) subject.resize(kMaxSubject);
  reason_ = Reason{code_, std::move(subject), std::move(expected), std::move(found), ""};
}

ObjectReader::ObjectReader(const Json& object, FirstFault& fault, std::string_view name)
    : object_(object), fault_(fault), name_(name) {}

ObjectReader::ObjectReader(const Json& object, const ObjectReader& outer, std::string_view name)
    : object_(object), fault_(outer.fault_), outer_(&outer), name_(name) {}

std::string ObjectReader::path(std::string_view name) const {
  std::string start = outer_ ? outer_->path(name_) : std::string(name_);
  if (!start.empty()) start += '.';
  return start.append(name);
}

const Json* ObjectReader::member(std::string_view name) const {
  if (fault_.reason() || !object_.is_object()) return nullptr;
  const auto found = object_.find(std::string(name));
  return found == object_.end() ? nullptr : &*found;
}

bool ObjectReader::has(std::string_view name) const { return member(name) != nullptr; }

void ObjectReader::missing(std::string_view name, std::string_view expected) const {
  fault_.set(path(name), std::string(expected), "nothing");
}

void ObjectReader::check_name(std::string_view name, const TextForm& form) const {
  if (!form.accepts(name)) fault_.set(path(name), std::string(form.description), described(std::string(name)));
}

std::string ObjectReader::text_of(std::string_view name, const Json& value, const TextForm& form) const {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (form.accepts(text)) return text;
  }
  fault_.set(path(name), std::string(form.description), described(value));
  return "";
}

bool ObjectReader::is_object(std::string_view name, const Json& value) const {
  if (!value.is_object()) fault_.set(path(name), "an object", described(value));
  return value.is_object();
}

std::string ObjectReader::optional_text(std::string_view name, const TextForm& form) const {
  const Json* value = member(name);
  return value ? text_of(name, *value, form) : "";
}

std::string ObjectReader::text(std::string_view name, const TextForm& form) const {
  const Json* value = member(name);
  if (value) return text_of(name, *value, form);
  missing(name, form.description);
  return "";
}

std::vector<std::string> ObjectReader::optional_texts(std::string_view name, const TextForm& form) const {
  std::vector<std::string> items;
  const Json* values = array(name);
  if (!values) return items;
  items.reserve(values->size());
  for (const Json& value : *values) {
    items.push_back(value.is_string() && form.accepts(value.get_ref<const std::string&>())
                        ? value.get<std::string>()
                        : text_of(std::string(name) + "[" + std::to_string(items.size()) + "]", value, form));
    if (fault_.reason()) break;
  }
  return items;
}

std::vector<std::string> ObjectReader::texts(std::string_view name, const TextForm& form) const {
  if (!has(name)) missing(name, "an array");
  return optional_texts(name, form);
}

std::uint64_t ObjectReader::number(std::string_view name, std::uint64_t least, std::uint64_t most) const {
  const std::string expected = "a number from " + std::to_string(least) + " to " + std::to_string(most);
  const Json* value = member(name);
  if (!value) {
    missing(name, expected);
    return 0;
  }
  const bool is_natural =
      value->is_number_integer() && (value->is_number_unsigned() || value->get<std::int64_t>() >= 0);
  const std::uint64_t number = is_natural ? value->get<std::uint64_t>() : 0;
  if (is_natural && number >= least && number <= most) return number;
  fault_.set(path(name), expected, described(*value));
  return 0;
}

const Json* ObjectReader::object(std::string_view name) const {
  const Json* value = member(name);
  return value && is_object(name, *value) ? value : nullptr;
}

const Json* ObjectReader::array(std::string_view name) const {
  const Json* value = member(name);
  if (!value || value->is_array()) return value;
  fault_.set(path(name), "an array", described(*value));
  return nullptr;
}

}  // namespace myops::rules

// Reads a manifest: every field is checked for type and form as it comes, and the first that is wrong is named.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/rules/json_fields.h"
#include "loader/rules/manifest.h"
#include "loader/rules/manifest_shape.h"
#include "loader/rules/strict_json.h"

namespace myops::rules {
namespace {

using boost::json::object;
using boost::json::value;

class Reader final : public JsonListener {
 public:
  void object_begins() override {
    if (passes_over(1)) return;
    if (frames_.empty()) return enter(kManifestShape, "");
    const Frame& frame = frames_.back();
    const Shape* shape = frame.in_array ? frame.field->objects : frame.field->object;
    if (shape) return enter(*shape, frame.name);
    refuse("an object");
    passed_over_ = 1;
  }
  void object_ends(std::size_t) override {
    if (passed_over_ > 0) return end_what_is_passed_over();
    const Frame& frame = frames_.back();
    for (std::size_t i = 0; i < frame.shape->fields.size(); ++i) {
      const Field& field = frame.shape->fields[i];
      if (!field.optional && (frame.seen >> i & 1U) == 0) fault_.set(path(field.name), field.expected(), "nothing");
    }
    frames_.pop_back();
  }
  void array_begins() override {
    if (passes_over(1)) return;
    const bool fits = !frames_.empty() && !frames_.back().in_array && is_array(*frames_.back().field);
    if (!fits) refuse("an array");
    if (!fits) passed_over_ = 1;
    if (fits) frames_.back().in_array = true;
  }
  void array_ends(std::size_t) override {
    if (passed_over_ > 0) return end_what_is_passed_over();
    frames_.back().in_array = false;
  }
  void member(std::string_view name) override;
  void text(std::string_view text) override {
    if (passes_over(0)) return;
    const Field* field = frames_.empty() ? nullptr : frames_.back().field;
    const bool in_array = field && frames_.back().in_array;
    if (!field || !(in_array ? field->texts != nullptr : field->text != nullptr) || !field->form->accepts(text)) {
      return refuse(described(value(text)));
    }
    if (in_array) {
      field->texts(draft_).emplace_back(text);
    } else {
      field->text(draft_) = text;
    }
  }
  void scalar(const value& json) override {
    if (passes_over(0)) return;
    const Field* field = frames_.empty() ? nullptr : frames_.back().field;
    if (!field || !field->number) return refuse(described(json));
    const bool is_natural = json.is_uint64() || (json.is_int64() && json.get_int64() > 0);
    const auto number = is_natural ? json.to_number<std::uint64_t>() : 0;
    if (number == 0 || number > kMostFormats) return refuse(described(json));
    field->number(draft_) = number;
  }

  const std::optional<Reason>& fault() const { return fault_.reason(); }
  std::uint64_t format() const { return draft_.format; }
  bool has_unknown() const { return has_unknown_; }
  Manifest take() { return std::move(draft_.manifest); }

 private:
  // An object that is open.
  struct Frame {
    const Shape* shape;
    std::string_view object;  // its own name
    std::string_view name{};  // of the member that was named last
    const Field* field{};     // of that member
    bool in_array = false;    // in the array that is its value
    std::uint32_t seen = 0;   // a bit for each field of the shape
  };

  static bool is_array(const Field& field) { return field.texts || field.objects; }

  void enter(const Shape& shape, std::string_view name) {
    if (shape.begin) shape.begin(draft_);
    frames_.push_back({&shape, name});
  }

  // A value of no known field, or a part of one: `depth` is 1 where it has parts itself.
  bool passes_over(std::size_t depth) {
    const bool is_known = passed_over_ == 0 && (frames_.empty() || frames_.back().field);
    if (!is_known) passed_over_ += depth;
    return !is_known;
  }
  void end_what_is_passed_over() { --passed_over_; }

  void refuse(std::string found);
  std::string path(std::string_view name) const;

  Draft draft_;
  FirstFault fault_{Code::kManifestDamaged};
  std::vector<Frame> frames_;
  std::size_t passed_over_ = 0;  // how deep in what is passed over
  bool has_unknown_ = false;
};

void Reader::member(std::string_view name) {
  if (passed_over_ > 0) return;
  Frame& frame = frames_.back();
  const Shape& shape = *frame.shape;
  frame.name = name;
  frame.field = field_of(shape, name);
  if (shape.any_name) {
    if (!shape.any_name->accepts(name)) {
      fault_.set(path(name), std::string(shape.any_name->description), described(value(name)));
    }
    shape.take_name(draft_, name);
  } else if (frame.field) {
    frame.seen |= 1U << (frame.field - shape.fields.data());
  } else {
    has_unknown_ = true;
  }
}

void Reader::refuse(std::string found) {
  if (frames_.empty()) return fault_.set("JSON", "an object", std::move(found));
  const Frame& frame = frames_.back();
  const Field& field = *frame.field;
  if (!frame.in_array) return fault_.set(path(frame.name), field.expected(), std::move(found));
  if (field.objects) return fault_.set(path(frame.name), "an object", std::move(found));
  const std::string item = fmt::format("[{}]", field.texts(draft_).size());
  fault_.set(path(frame.name) + item, std::string(field.form->description), std::move(found));
}

std::string Reader::path(std::string_view name) const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (!frame.object.empty()) path.append(frame.object) += '.';
  }
  return path.append(name);
}

// What `known` has and its shape has not, at any depth.
object unknown_fields(const object& known, const Shape& shape) {
  object rest;
  for (const auto& [name, value] : known) {
    const Field* field = field_of(shape, name);
    if (!field) {
      rest[name] = value;
    } else if (const object* inner = field->object ? value.if_object() : nullptr) {
      object inner_rest = unknown_fields(*inner, *field->object);
      if (!inner_rest.empty()) rest[name] = std::move(inner_rest);
    }
  }
  return rest;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text) {
  if (text.empty()) return Reason{Code::kUnstamped, "", "", "", "let `myops stamp` write its manifest"};
  Reader reader;
  if (auto read = read_json(text, Code::kManifestDamaged, reader); !read) return read.error();
  if (reader.format() > kManifestFormat) {
    return Reason{Code::kManifestNewer, "format", std::to_string(kManifestFormat), std::to_string(reader.format()),
                  "update myops"};
  }
  if (reader.fault()) return *reader.fault();
  Manifest manifest = reader.take();
  if (!reader.has_unknown()) return manifest;
  // Rare, and kept as they are: from the document as a whole.
  const auto json = parse_json(text, Code::kManifestDamaged);
  const object rest = json ? unknown_fields(json->get_object(), kManifestShape) : object();
  if (!rest.empty()) manifest.unknown = boost::json::serialize(rest);
  return manifest;
}

bool Manifest::registers() const {
  return !defines.empty() || !libraries.empty() || !keys().empty() || !fallbacks.empty();
}

std::vector<std::string> Manifest::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, operators] : kernels) {
    if (!operators.empty()) names.push_back(key);
  }
  return names;
}

}  // namespace myops::rules

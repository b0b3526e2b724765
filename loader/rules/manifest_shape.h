// What may stand where in the JSON of a manifest, and where it goes. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/rules/json_fields.h"
#include "loader/rules/manifest.h"

namespace myops::rules {

// A manifest, and where in it the records of the key and the operator go that were named last.
struct Draft {
  Manifest manifest;
  std::uint64_t format = 0;
  std::map<std::string, KernelRecord>* records = nullptr;
  KernelRecord* record = nullptr;
  std::string* build_id = nullptr;
};

struct Shape;

// What may stand in one place: one of a text, an array of texts, an object, an array of objects, a number.
struct Field {
  std::string_view name;
  std::string& (*text)(Draft&) = nullptr;
  std::vector<std::string>& (*texts)(Draft&) = nullptr;
  const TextForm* form = nullptr;  // of each text
  const Shape* object = nullptr;
  const Shape* objects = nullptr;
  std::uint64_t& (*number)(Draft&) = nullptr;
  bool optional = false;

  // In words, for a fault.
  std::string expected() const;
};

// An object: members of known names, or of any name of one form, all alike.
struct Shape {
  std::span<const Field> fields{};
  void (*begin)(Draft&) = nullptr;
  const TextForm* any_name = nullptr;
  const Field* every = nullptr;
  void (*take_name)(Draft&, std::string_view name) = nullptr;
};

// The whole document.
extern const Shape kManifestShape;

inline constexpr std::uint64_t kMostFormats = 1000000;

// The field of this name; nullptr for one that this version does not know.
const Field* field_of(const Shape& shape, std::string_view name);

}  // namespace myops::rules

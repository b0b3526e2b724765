// Writes a manifest: the known fields in a fixed order, then those that a newer writer had put in.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <cstdint>

#include "loader/printable.h"
#include "loader/rules/manifest.h"

namespace myops::rules {
namespace {

using boost::json::object;
using boost::json::value_from;

// Adds what `target` has not, at any depth. Both lie within the reader's depth limit.
void add_missing(object& target, const object& more) {
  for (const auto& [name, value] : more) {
    auto* known = target.if_contains(name);
    if (!known) {
      target[name] = value;
    } else if (known->is_object() && value.is_object()) {
      add_missing(known->get_object(), value.get_object());
    }
  }
}

object kernel_fields(const Manifest& manifest) {
  object kernels;
  for (const auto& [key, operators] : manifest.kernels) {
    object of_key;
    for (const auto& [op, record] : operators) {
      of_key[op] = {{"schema", record.schema},
                    {"cpp", record.cpp},
                    {"cpp_symint", record.cpp_symint},
                    {"registered", record.registered}};
    }
    kernels[key] = std::move(of_key);
  }
  return kernels;
}

object cuda_fields(const Manifest::Cuda& cuda) {
  object json = {{"runtime", cuda.runtime}, {"sm", value_from(cuda.code.sm)}, {"ptx", value_from(cuda.code.ptx)}};
  boost::json::array parts;
  for (const auto& part : cuda.parts) {
    parts.push_back(object{{"sm", value_from(part.sm)}, {"ptx", value_from(part.ptx)}});
  }
  if (!parts.empty()) json["parts"] = std::move(parts);
  return json;
}

object known_fields(const Manifest& manifest) {
  object json;
  json["format"] = manifest.format;
  json["name"] = manifest.name;
  json["version"] = manifest.version;
  json["namespace"] = manifest.op_namespace;
  json["set"] = manifest.set;
  json["release"] = manifest.release;
  json["defines"] = value_from(manifest.defines);
  json["libraries"] = value_from(manifest.libraries);
  json["kernels"] = kernel_fields(manifest);
  json["fallbacks"] = value_from(manifest.fallbacks);
  json["torch"] = {{"version", manifest.torch.version},
                   {"git", manifest.torch.git},
                   {"abi", manifest.torch.abi},
                   {"cuda", manifest.torch.cuda},
                   {"cxx11_abi", manifest.torch.cxx11_abi},
                   {"build_ids", value_from(manifest.torch.build_ids)}};
  json["cpu"] = {{"arch", manifest.cpu.arch}, {"level", manifest.cpu.level}};
  if (manifest.cuda) {
    json["cuda"] = cuda_fields(*manifest.cuda);
  }
  return json;
}

}  // namespace

std::string to_json_text(const Manifest& manifest) {
  object json = known_fields(manifest);
  boost::json::error_code failed;
  const auto unknown = boost::json::parse(manifest.unknown, failed);
  if (!failed && unknown.is_object()) add_missing(json, unknown.get_object());
  return valid_utf8(boost::json::serialize(json));
}

// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): each schema and the line break after it.
std::string schemas_hash(std::vector<std::string> schemas) {
  std::sort(schemas.begin(), schemas.end());
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::string& schema : schemas) {
    for (const char c : schema + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  constexpr int kHexDigits = 12;
  std::string text;
  for (int i = 0; i < kHexDigits; ++i) text += "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15];
  return text;
}

}  // namespace myops::rules

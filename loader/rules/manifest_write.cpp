// Writes a manifest: the known fields in a fixed order, then those that a newer writer had put in.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "loader/rules/manifest.h"

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;

// Adds what `target` has not, at any depth. Both lie within the reader's depth limit.
void add_missing(Json& target, const Json& more) {
  for (const auto& [name, value] : more.items()) {
    if (!target.contains(name)) {
      target[name] = value;
    } else if (target[name].is_object() && value.is_object()) {
      add_missing(target[name], value);
    }
  }
}

Json kernel_fields(const Manifest& manifest) {
  Json kernels = Json::object();
  for (const auto& [key, operators] : manifest.kernels) {
    Json& of_key = kernels[key] = Json::object();
    for (const auto& [op, record] : operators) {
      of_key[op] = {{"schema", record.schema},
                    {"cpp", record.cpp},
                    {"cpp_symint", record.cpp_symint},
                    {"registered", record.registered}};
    }
  }
  return kernels;
}

Json known_fields(const Manifest& manifest) {
  Json build_ids = Json::object();
  for (const auto& [file, id] : manifest.torch.build_ids) build_ids[file] = id;
  Json json;
  json["format"] = manifest.format;
  json["name"] = manifest.name;
  json["version"] = manifest.version;
  json["namespace"] = manifest.op_namespace;
  json["set"] = manifest.set;
  json["release"] = manifest.release;
  json["defines"] = manifest.defines;
  json["libraries"] = manifest.libraries;
  json["kernels"] = kernel_fields(manifest);
  json["fallbacks"] = manifest.fallbacks;
  json["torch"] = {{"version", manifest.torch.version},
                   {"git", manifest.torch.git},
                   {"abi", manifest.torch.abi},
                   {"cuda", manifest.torch.cuda},
                   {"cxx11_abi", manifest.torch.cxx11_abi},
                   {"build_ids", std::move(build_ids)}};
  json["cpu"] = {{"arch", manifest.cpu.arch}, {"level", manifest.cpu.level}};
  if (manifest.cuda) {
    json["cuda"] = {{"runtime", manifest.cuda->runtime}, {"sm", manifest.cuda->sm}, {"ptx", manifest.cuda->ptx}};
  }
  return json;
}

}  // namespace

std::string to_json_text(const Manifest& manifest) {
  Json json = known_fields(manifest);
  const Json unknown = Json::parse(manifest.unknown, nullptr, /*allow_exceptions=*/false);
  if (unknown.is_object()) add_missing(json, unknown);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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

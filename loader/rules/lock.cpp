#include "loader/rules/lock.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "loader/printable.h"
#include "loader/rules/json_fields.h"
#include "loader/rules/strict_json.h"

namespace myops::rules {
namespace {

constexpr std::uint64_t kLockFormat = 1;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

constexpr TextForm kSha256{"64 hexadecimal digits in lower case",
                           [](std::string_view text) { return text.size() == 64 && is_hex(text); }};
constexpr TextForm kBuildId{"hexadecimal digits in lower case",
                            [](std::string_view text) { return text.size() <= 128 && is_hex(text); }};
constexpr TextForm kRelativePath{"a path relative to the lock file's folder", [](std::string_view text) {
                                   return !text.empty() && text.size() <= 4096 && text.front() != '/' &&
                                          text.find('\0') == std::string_view::npos;
                                 }};

void read_files(const ObjectReader& root, Lock& lock) {
  const boost::json::object* files = root.object("files");
  if (!files) return root.missing("files", "an object");
  const ObjectReader entries(*files, root, "files");
  for (const auto& [path, value] : *files) {
    entries.check_name(path, kRelativePath);
    const boost::json::object* json = entries.object_of(path, value);
    if (!json) return;
    const ObjectReader entry(*json, entries, path);
    lock.files[std::string(path)] = {entry.text("sha256", kSha256), entry.optional_text("build_id", kBuildId)};
  }
}

}  // namespace

Result<Lock> parse_lock(std::string_view text) {
  const auto json = parse_json(text, Code::kBadOption);
  if (!json) return json.error();
  if (!json->is_object()) return Reason{Code::kBadOption, "the lock file", "a JSON object", described(*json), ""};
  FirstFault fault(Code::kBadOption);
  const ObjectReader root(json->get_object(), fault);
  Lock lock;
  root.number("format", kLockFormat, kLockFormat);
  read_files(root, lock);
  if (fault.reason()) return *fault.reason();
  return lock;
}

std::string to_json_text(const Lock& lock) {
  std::string text = "{\"format\": " + std::to_string(kLockFormat) + ", \"files\": {";
  const char* separator = "\n";
  for (const auto& [path, file] : lock.files) {
    text += separator + std::string("  ") + boost::json::serialize(boost::json::string(valid_utf8(path))) +
            ": {\"sha256\": \"" + file.sha256 + "\", \"build_id\": \"" + file.build_id + "\"}";
    separator = ",\n";
  }
  return text + "\n}}\n";
}

}  // namespace myops::rules

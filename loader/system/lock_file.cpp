#include "loader/system/lock_file.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "loader/elf/elf_facts.h"
#include "loader/printable.h"
#include "loader/system/bridge.h"
#include "loader/system/candidate.h"
#include "loader/system/checksum.h"
#include "loader/system/file_bytes.h"
#include "loader/system/files.h"
#include "loader/system/folders.h"
#include "loader/system/written_file.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

Result<std::string> text_of(const std::string& path) {
  const auto unreadable = [&](std::string found) {
    return Reason{Code::kUnreadable, path, "a lock file", std::move(found), "`myops lock` writes one"};
  };
  const auto bytes = FileBytes::open(path);
  if (!bytes) return unreadable(bytes.error().found);
  if ((*bytes)->size() > kMostBytes) return unreadable("more than " + std::to_string(kMostBytes) + " bytes");
  std::string text(static_cast<std::size_t>((*bytes)->size()), '\0');
  if (!(*bytes)->read(0, std::as_writable_bytes(std::span(text)))) return unreadable("it changes while it is read");
  return text;
}

// The folder of a file that may not be there yet, links resolved.
Result<std::string> folder_of(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(path, error).parent_path(), error);
  if (!error) return folder.string();
  return Reason{Code::kUnreadable, path, "a folder for the lock file", error.message(), ""};
}

// The releases of torch for which a folder of the search path has one of their own.
std::vector<std::string> minors_in(const SearchPath& search) {
  std::vector<std::string> minors;
  for (const SearchEntry& entry : search.entries) {
    std::error_code error;
    for (fs::directory_iterator item(entry.path, error), end; !error && item != end; item.increment(error)) {
      const std::string name = item->path().filename();
      if (name.starts_with(kTorchFolder)) minors.push_back(name.substr(kTorchFolder.size()));
    }
  }
  std::sort(minors.begin(), minors.end());
  minors.erase(std::unique(minors.begin(), minors.end()), minors.end());
  return minors;
}

// What was found, and what could not be looked at.
struct Found {
  std::set<std::string> paths;
  std::vector<std::string> left_out;
};

Found libraries_of(const Options& options) {
  const SearchPath search = search_path(options.request.paths, options.late_paths);
  std::vector<std::string> minors = minors_in(search);
  minors.emplace_back("");
  Found found;
  for (const std::string& minor : minors) {
    const Gathered gathered = gather(search, minor);
    for (const Reason& note : gathered.notes) found.left_out.push_back(to_text(note));
    for (const rules::CandidateFile& file : gathered.files) {
      if (!file.error) found.paths.insert(file.real_path);
      if (file.error) found.left_out.push_back(file.path + ": " + to_text(*file.error));
    }
  }
  std::sort(found.left_out.begin(), found.left_out.end());
  found.left_out.erase(std::unique(found.left_out.begin(), found.left_out.end()), found.left_out.end());
  return found;
}

// An entry for a library of ours, none for another file; or why it can have none.
Result<std::optional<rules::LockedFile>> locked(const std::string& path) {
  const auto bytes = FileBytes::open(path);
  if (!bytes) return bytes.error();
  const auto facts = elf::parse_elf(**bytes, elf::Depth::kIdentity);
  if (!facts || !facts->manifest) return std::optional<rules::LockedFile>();
  if (valid_utf8(path) != path) return Reason{Code::kBadOption, path, "a path in UTF-8", "other bytes", "rename it"};
  const auto sha256 = sha256_of(**bytes);
  if (!sha256) return Reason{Code::kUnreadable, path, "", "it changes while it is read", ""};
  return std::optional(rules::LockedFile{*sha256, facts->build_id});
}

}  // namespace

Result<std::shared_ptr<const rules::Lock>> read_lock(const std::string& path) {
  const auto folder = folder_of(path);
  if (!folder) return folder.error();
  const auto text = text_of(path);
  if (!text) return text.error();
  auto parsed = rules::parse_lock(*text);
  if (!parsed) {
    Reason reason = parsed.error();
    reason.subject = path + ": " + reason.subject;
    return reason;
  }
  auto lock = std::make_shared<rules::Lock>();
  lock->path = path;
  for (const auto& [relative, file] : parsed->files) {
    std::error_code error;
    const fs::path place = fs::path(*folder) / relative;
    const fs::path real = fs::canonical(place, error);
    const auto [entry, is_new] = lock->files.emplace(error ? place.lexically_normal().string() : real.string(), file);
    if (!is_new && entry->second.sha256 != file.sha256) {
      return Reason{Code::kBadOption, path + ": " + relative, "one entry for a library", "two that differ", ""};
    }
  }
  return std::shared_ptr<const rules::Lock>(std::move(lock));
}

Result<Answer> write_lock(const Options& options) {
  const auto folder = folder_of(options.output);
  if (!folder) return folder.error();
  Found found = libraries_of(options);
  const auto bridges = all_bridges();
  rules::Lock lock;
  std::size_t plugins = 0;
  const auto add = [&](const std::string& path) {
    const auto file = locked(path);
    if (!file) found.left_out.push_back(path + ": " + to_text(file.error()));
    if (!file || !*file) return false;
    lock.files.emplace(fs::path(path).lexically_relative(*folder).string(), **file);
    return true;
  };
  for (const std::string& path : found.paths) plugins += add(path) ? 1 : 0;
  for (const std::string& path : bridges) add(path);
  const std::string text = rules::to_json_text(lock);
  if (plugins == 0 || text.size() > kMostBytes) {
    const std::string what = plugins == 0 ? "none" : "more than a lock file can hold";
    return error_answer({Code::kBadOption, "the search path", "libraries to list", what, "name a folder with --path"},
                        kCannotLoad);
  }
  if (const int error = write_text(options.output, text); error != 0) {
    return error_answer({Code::kUnreadable, options.output, "a file that can be written", errno_text(error), ""},
                        kCannotLoad);
  }
  boost::json::array paths, left_out;
  for (const auto& [path, file] : lock.files) paths.emplace_back(path);
  std::string words =
      printable(options.output) + ": " + std::to_string(lock.files.size()) + " libraries, and no other\n";
  for (const std::string& line : found.left_out) {
    left_out.emplace_back(valid_utf8(line));
    words += "left out: " + printable(line) + "\n";
  }
  Answer answer{found.left_out.empty() ? kFine : kCannotLoad,
                boost::json::object({{"format", 1}, {"file", valid_utf8(options.output)}})};
  answer.json["files"] = std::move(paths);
  answer.json["left_out"] = std::move(left_out);
  answer.json["text"] = words;
  return answer;
}

}  // namespace myops::system

#include "loader/system/lock_file.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>
#include <optional>
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

// The folders that hold libraries: those of the search path, and torch-* in each.
std::vector<std::string> minors_in(const SearchPath& search) {
  std::vector<std::string> minors;
  for (const SearchEntry& entry : search.entries) {
    std::error_code error;
    for (fs::directory_iterator item(entry.path, error), end; !error && item != end; item.increment(error)) {
      const std::string name = item->path().filename();
      if (name.starts_with("torch-")) minors.push_back(name.substr(6));
    }
  }
  std::sort(minors.begin(), minors.end());
  minors.erase(std::unique(minors.begin(), minors.end()), minors.end());
  return minors;
}

std::vector<std::string> libraries_of(const Options& options) {
  const SearchPath search = search_path(options.request.paths, options.late_paths);
  std::vector<std::string> minors = minors_in(search);
  minors.emplace_back("");
  std::vector<std::string> paths = all_bridges();
  for (const std::string& minor : minors) {
    for (const rules::CandidateFile& file : gather(search, minor).files) {
      if (!file.error) paths.push_back(file.real_path);
    }
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

// None for what is no library of ours.
std::optional<rules::LockedFile> locked(const std::string& path) {
  const auto bytes = FileBytes::open(path);
  if (!bytes) return std::nullopt;
  const auto facts = elf::parse_elf(**bytes, elf::Depth::kIdentity);
  if (!facts || !facts->manifest) return std::nullopt;
  const auto sha256 = sha256_of(**bytes);
  if (!sha256) return std::nullopt;
  return rules::LockedFile{*sha256, facts->build_id};
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
  for (auto& [relative, file] : parsed->files) {
    std::error_code error;
    const fs::path place = fs::path(*folder) / relative;
    const fs::path real = fs::canonical(place, error);
    lock->files.emplace(error ? place.lexically_normal().string() : real.string(), std::move(file));
  }
  return std::shared_ptr<const rules::Lock>(std::move(lock));
}

Result<Answer> write_lock(const Options& options) {
  const auto folder = folder_of(options.output);
  if (!folder) return folder.error();
  rules::Lock lock;
  for (const std::string& path : libraries_of(options)) {
    if (auto file = locked(path)) {
      lock.files.emplace(fs::path(path).lexically_relative(*folder).string(), std::move(*file));
    }
  }
  if (lock.files.empty()) {
    return error_answer({Code::kBadOption, "the search path", "libraries to list", "none", "name a folder with --path"},
                        kCannotLoad);
  }
  if (const int error = write_text(options.output, rules::to_json_text(lock)); error != 0) {
    return error_answer({Code::kUnreadable, options.output, "a file that can be written", errno_text(error), ""},
                        kCannotLoad);
  }
  boost::json::array paths;
  for (const auto& [path, file] : lock.files) paths.emplace_back(valid_utf8(path));
  Answer answer{kFine, boost::json::object({{"format", 1}, {"file", valid_utf8(options.output)}})};
  answer.json["files"] = std::move(paths);
  answer.json["text"] =
      printable(options.output) + ": " + std::to_string(lock.files.size()) + " libraries, and no other\n";
  return answer;
}

}  // namespace myops::system

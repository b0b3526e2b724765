#include "loader/system/ld_cache.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace myops::system {
namespace {

// glibc: sysdeps/generic/dl-cache.h. Integers are in the machine's byte order.
constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::string_view kNewMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kOldHeader = 16, kOldEntry = 12;  // struct cache_file, struct file_entry
constexpr std::size_t kNewHeader = 48, kNewEntry = 24;  // struct cache_file_new, struct file_entry_new
constexpr std::size_t kNewAlignment = 8;
constexpr std::string_view kHwcapsFolder = "/glibc-hwcaps/";
constexpr std::string_view kLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

template <class Integer>
std::optional<Integer> read_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || sizeof(Integer) > bytes.size() - offset) return std::nullopt;
  Integer value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> string_at(std::string_view bytes, std::optional<std::uint32_t> offset) {
  if (!offset || *offset >= bytes.size()) return std::nullopt;
  const std::size_t end = bytes.find('\0', *offset);
  if (end == std::string_view::npos) return std::nullopt;
  return bytes.substr(*offset, end - *offset);
}

int level_number(std::string_view name) {
  const auto found = std::find(std::begin(kLevels), std::end(kLevels), name);
  return found == std::end(kLevels) ? -1 : static_cast<int>(found - std::begin(kLevels));
}

// 0: a plain path; 1…3: in glibc-hwcaps/x86-64-v<n+1>; -1: in the folder of something else.
int hwcaps_level(std::string_view path) {
  const std::size_t at = path.find(kHwcapsFolder);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = path.substr(at + kHwcapsFolder.size());
  return level_number(rest.substr(0, rest.find('/')));
}

// The part in the new format, to whose start its offsets relate: the whole file, or what follows the old format's
// entries.
std::string_view new_format(std::string_view bytes) {
  if (bytes.starts_with(kOldMagic)) {
    const auto count = read_at<std::uint32_t>(bytes, kOldHeader - 4);
    if (!count || *count > bytes.size() / kOldEntry) return {};
    const std::size_t end = kOldHeader + *count * kOldEntry;
    bytes.remove_prefix(std::min(bytes.size(), (end + kNewAlignment - 1) / kNewAlignment * kNewAlignment));
  }
  return bytes.starts_with(kNewMagic) ? bytes : std::string_view{};
}

}  // namespace

CacheFilter cache_filter(std::string_view arch, std::string cpu_level) {
  return {arch == "aarch64" ? 0x0a03 : 0x0303, std::move(cpu_level)};
}

std::vector<std::pair<std::string, std::string>> parse_ld_cache(std::string_view bytes, const CacheFilter& filter) {
  std::vector<std::pair<std::string, std::string>> entries;
  const std::string_view cache = new_format(bytes);
  const std::uint32_t count = read_at<std::uint32_t>(cache, kNewMagic.size()).value_or(0);
  const int usable = level_number(filter.cpu_level);
  for (std::size_t offset = kNewHeader; offset < kNewHeader + std::size_t{count} * kNewEntry; offset += kNewEntry) {
    const auto flags = read_at<std::int32_t>(cache, offset);
    const auto name = string_at(cache, read_at<std::uint32_t>(cache, offset + 4));
    const auto path = string_at(cache, read_at<std::uint32_t>(cache, offset + 8));
    if (!flags || !name || !path) break;
    const int level = hwcaps_level(*path);
    if (*flags == filter.flags && level >= 0 && level <= std::max(usable, 0)) entries.emplace_back(*name, *path);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return hwcaps_level(a.second) > hwcaps_level(b.second); });
  return entries;
}

}  // namespace myops::system

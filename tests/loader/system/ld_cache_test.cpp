#include "loader/system/ld_cache.h"

#include <gmock/gmock.h>

#include <cstring>

#include "loader/system/file_bytes.h"
#include "loader/system/probe.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::int32_t kX8664 = 0x0303;
constexpr std::int32_t kI386 = 0x0003;

template <class Integer>
void append(std::string& bytes, Integer value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Entry {
  std::int32_t flags;
  std::string name, path;
};

// A cache in the new format, as ldconfig writes it (glibc, sysdeps/generic/dl-cache.h).
std::string new_cache(const std::vector<Entry>& entries) {
  std::string bytes = "glibc-ld.so.cache1.1", strings;
  append(bytes, static_cast<std::uint32_t>(entries.size()));
  std::string table;
  const std::size_t start = 48 + 24 * entries.size();
  for (const Entry& entry : entries) {
    append(table, entry.flags);
    append(table, static_cast<std::uint32_t>(start + strings.size()));
    strings += entry.name + '\0';
    append(table, static_cast<std::uint32_t>(start + strings.size()));
    strings += entry.path + '\0';
    append(table, std::uint32_t{0});
    append(table, std::uint64_t{0});
  }
  append(bytes, static_cast<std::uint32_t>(strings.size()));
  bytes.resize(48, '\0');
  return bytes + table + strings;
}

std::string old_header(std::uint32_t count) {
  std::string bytes("ld.so-1.7.0\0", 12);
  append(bytes, count);
  bytes.resize(16 + count * 12, '\1');
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  return bytes;
}

CacheFilter filter(const std::string& level = "x86-64-v3") { return cache_filter("x86_64", level); }

TEST(LdCache, ReadsEntriesOfThisMachinesKind) {
  const auto entries = parse_ld_cache(new_cache({{kX8664, "liba.so.1", "/lib/liba.so.1"},
                                                 {kI386, "liba.so.1", "/lib32/liba.so.1"},
                                                 {kX8664, "libb.so", "/usr/lib/libb.so"}}),
                                      filter());
  EXPECT_THAT(entries, ElementsAre(Pair("liba.so.1", "/lib/liba.so.1"), Pair("libb.so", "/usr/lib/libb.so")));
}

TEST(LdCache, ReadsTheNewFormatBehindTheOld) {
  const std::string cache = old_header(3) + new_cache({{kX8664, "liba.so.1", "/lib/liba.so.1"}});
  EXPECT_THAT(parse_ld_cache(cache, filter()), ElementsAre(Pair("liba.so.1", "/lib/liba.so.1")));
}

TEST(LdCache, WidestUsableLevelComesFirst) {
  const std::string cache = new_cache({{kX8664, "liba.so", "/lib/liba.so"},
                                       {kX8664, "liba.so", "/lib/glibc-hwcaps/x86-64-v2/liba.so"},
                                       {kX8664, "liba.so", "/lib/glibc-hwcaps/x86-64-v3/liba.so"},
                                       {kX8664, "liba.so", "/lib/glibc-hwcaps/x86-64-v4/liba.so"},
                                       {kX8664, "liba.so", "/lib/glibc-hwcaps/z14/liba.so"}});
  EXPECT_THAT(parse_ld_cache(cache, filter("x86-64-v3")),
              ElementsAre(Pair("liba.so", "/lib/glibc-hwcaps/x86-64-v3/liba.so"),
                          Pair("liba.so", "/lib/glibc-hwcaps/x86-64-v2/liba.so"), Pair("liba.so", "/lib/liba.so")));
  EXPECT_THAT(parse_ld_cache(cache, filter("")), ElementsAre(Pair("liba.so", "/lib/liba.so")));
}

TEST(LdCache, DamageGivesWhatWasReadUpToThere) {
  const std::string good = new_cache({{kX8664, "liba.so", "/lib/liba.so"}, {kX8664, "libb.so", "/lib/libb.so"}});
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_LE(parse_ld_cache(std::string_view(good).substr(0, length), filter()).size(), 2u) << length;
  }
  std::string beyond = good;
  const std::uint32_t outside = 0xfffffff0;
  std::memcpy(beyond.data() + 48 + 24 + 8, &outside, sizeof outside);  // path of the second entry
  EXPECT_THAT(parse_ld_cache(beyond, filter()), ElementsAre(Pair("liba.so", "/lib/liba.so")));
  std::string many = good;
  std::memcpy(many.data() + 20, &outside, sizeof outside);  // number of entries
  EXPECT_GE(parse_ld_cache(many, filter()).size(), 2u);
  std::string old = old_header(1) + good;
  std::memcpy(old.data() + 12, &outside, sizeof outside);
  EXPECT_THAT(parse_ld_cache(old, filter()), IsEmpty());
  EXPECT_THAT(parse_ld_cache("", filter()), IsEmpty());
  EXPECT_THAT(parse_ld_cache("something else", filter()), IsEmpty());
}

// ldconfig prints the same file.
TEST(LdCache, AgreesWithLdconfigOnThisMachine) {
  const auto outcome = run_child({"/sbin/ldconfig", "-p"}, std::chrono::seconds(30));
  if (!outcome || outcome->exit_code != 0) GTEST_SKIP() << "no /sbin/ldconfig on this machine";
  const auto entries = parse_ld_cache(read_text("/etc/ld.so.cache", std::size_t{64} << 20), filter("x86-64-v4"));
  ASSERT_FALSE(entries.empty());
  std::size_t listed = 0;
  for (std::size_t at = outcome->output.find("(libc6,x86-64"); at != std::string::npos;
       at = outcome->output.find("(libc6,x86-64", at + 1))
    ++listed;
  EXPECT_EQ(entries.size(), listed);
  for (const auto& [name, path] : entries) {
    EXPECT_NE(outcome->output.find("\t" + name + " (libc6,x86-64"), std::string::npos) << name;
    EXPECT_NE(outcome->output.find("=> " + path + "\n"), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace myops::system

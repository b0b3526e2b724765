// The resolver against the real dynamic linker: libraries made of bytes, opened in child processes.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"
#include "tests/loader/link/process.h"

namespace myops::link {
namespace {

namespace fs = std::filesystem;
using elf::Image;

void write(const fs::path& path, const std::vector<std::byte>& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush());
}

// Whether dlopen(path, RTLD_NOW) succeeds in a child; a crash, an abort or ten seconds are a no.
bool opens(const fs::path& path) {
  const pid_t child = fork();
  if (child == 0) {
    // What the linker says of itself on the way down is of no interest.
    if (!std::freopen("/dev/null", "w", stderr)) _exit(3);
    alarm(10);
    _exit(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Why our side says that it does not open; "" where it says nothing.
std::string refused(const fs::path& path, const Environment& environment) {
  const ReadOutcome outcome = read_real_file(path);
  if (outcome.fault) return to_text(*outcome.fault);
  if (const auto reason = elf::refusal(*outcome.facts)) return to_text(*reason);
  if (outcome.facts->fault) return "for another machine: " + to_text(*outcome.facts->fault);
  std::string text;
  for (const Missing& missing : resolve(gather_closure(real_object(path), environment, read_real_file))) {
    text += missing.name + " for " + missing.needed_by + " (" + missing.found + "); ";
  }
  return text;
}

class DlopenAgreement : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("myops_dlopen_agreement_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    take_mapped(environment_, true);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  Environment environment_;
};

// A handful of small libraries that need each other in any way: names, folders, lists of folders, symbols and versions
// at random.
class RandomWorld {
 public:
  RandomWorld(unsigned seed, fs::path folder) : random_(seed), folder_(std::move(folder)) {}

  fs::path make() {
    for (int library = 1; library <= 4; ++library) {
      const int copies = 1 + one_in(4);
      for (int copy = 0; copy < copies; ++copy) write(folder_ / place() / name(library), image(library).build());
    }
    write(folder_ / "libtarget.so", image(0).build());
    return folder_ / "libtarget.so";
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  int one_in(int times) { return below(times) == 0 ? 1 : 0; }
  static std::string name(int library) { return "libagree" + std::to_string(library) + ".so"; }
  std::string place() { return std::string(1, static_cast<char>('a' + below(3))); }

  std::string folders() {
    static constexpr const char* kFolders[] = {"$ORIGIN/a",    "$ORIGIN/b",    "$ORIGIN/c",      "$ORIGIN",
                                               "$ORIGIN/../a", "$ORIGIN/../b", "${ORIGIN}/../c", "/nowhere"};
    std::string list;
    for (int i = 2 + below(5); i > 0; --i) list += std::string(list.empty() ? "" : ":") + kFolders[below(8)];
    return list;
  }

  Image image(int library) {
    Image image;
    image.hash = below(2) ? Image::Hash::kGnu : Image::Hash::kSysv;
    if (one_in(20)) image.machine = EM_AARCH64;
    if (library == 0) image.machine = EM_X86_64;
    if (one_in(30) && library > 0) image.more_dynamic.emplace_back(DT_FLAGS_1, DF_1_PIE);
    if (!one_in(3)) image.soname(one_in(6) ? name(1 + below(4)) : name(library));
    if (!one_in(4)) image.named(DT_RPATH, folders());
    if (one_in(4)) image.named(DT_RUNPATH, folders());
    std::vector<std::string> needed;
    for (int other = 1; other <= 4; ++other) {
      if (other == library || !one_in(library == 0 ? 2 : 4)) continue;
      needed.push_back(name(other));
      image.needed(needed.back());
    }
    add_versions(image, needed);
    add_symbols(image, needed.size());
    return image;
  }

  void add_versions(Image& image, const std::vector<std::string>& needed) {
    versions_.clear();
    if (!one_in(3)) {
      image.defines_version("libbase.so", 1, VER_FLG_BASE);
      for (std::uint16_t version = 2; version <= 4; ++version) {
        if (below(5) == 0) continue;
        image.defines_version("V" + std::to_string(version), version);
        versions_.push_back(version);
      }
    }
    needs_.clear();
    for (const std::string& file : needed) {
      if (!one_in(3)) continue;
      needs_.push_back(static_cast<std::uint16_t>(5 + needs_.size()));
      image.needs_version(file, "V" + std::to_string(2 + below(3)), needs_.back(), one_in(4) ? VER_FLG_WEAK : 0);
    }
  }

  void add_symbols(Image& image, std::size_t needed) {
    for (int symbol = 0; symbol < 3; ++symbol) {
      const std::string text = "agree_symbol_" + std::to_string(symbol);
      const int definitions = below(3);
      for (int i = 0; i < definitions; ++i) {
        std::uint16_t version = 1;
        if (!versions_.empty() && below(3))
          version = versions_[static_cast<std::size_t>(below(static_cast<int>(versions_.size())))];
        if (one_in(3)) version |= 0x8000;
        // glibc gives a file up at the first hidden symbol of a name; no linker writes another one beside it.
        const std::uint8_t visibility = definitions == 1 && one_in(8) ? STV_HIDDEN : STV_DEFAULT;
        const std::uint8_t binding = one_in(4) ? STB_WEAK : STB_GLOBAL;
        image.define({.name = text, .binding = binding, .visibility = visibility, .version = version});
      }
      if (needed == 0 || !one_in(3)) continue;
      const std::uint16_t version =
          needs_.empty() || one_in(3) ? 1 : needs_[static_cast<std::size_t>(below(static_cast<int>(needs_.size())))];
      image.import(
          {.name = text, .binding = static_cast<std::uint8_t>(one_in(6) ? STB_WEAK : STB_GLOBAL), .version = version});
    }
  }

  std::mt19937 random_;
  fs::path folder_;
  std::vector<std::uint16_t> versions_;  // indexes that the image defines
  std::vector<std::uint16_t> needs_;     // indexes that it needs
};

TEST_F(DlopenAgreement, RandomWorlds) {
  int opened = 0;
  constexpr int kWorlds = 400;
  for (unsigned seed = 0; seed < kWorlds; ++seed) {
    const fs::path folder = folder_ / std::to_string(seed);
    const fs::path target = RandomWorld(seed, folder).make();
    const std::string why = refused(target, environment_);
    const bool opens_really = opens(target);
    opened += opens_really ? 1 : 0;
    EXPECT_EQ(why.empty(), opens_really) << "seed " << seed << ": " << why;
    fs::remove_all(folder);
  }
  // Neither side of the question is rare.
  EXPECT_GT(opened, kWorlds / 10);
  EXPECT_LT(opened, kWorlds * 9 / 10);
}

// A refusal needs proof: whatever is changed in a file, where we refuse it the linker must fail or die. The one
// exception are tables that contradict the file (damaged, truncated): the linker may not happen to look there.
TEST_F(DlopenAgreement, ChangedFilesThatAreRefusedDoNotOpen) {
  std::ifstream file(MYOPS_ELF_FIXTURE, std::ios::binary);
  const std::string original{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(original.size(), 4096U);
  const auto bytes = std::as_bytes(std::span(original));
  std::mt19937 random(7);
  int contradictions = 0;
  int opened_all_the_same = 0;
  int proven = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::byte> changed(bytes.begin(), bytes.end());
    // The first 4 KiB hold the headers, notes, hash, symbol, string and version tables.
    const std::size_t at = random() % 4096;
    changed[at] = static_cast<std::byte>(round % 3 == 0 ? 0xff : round % 3 == 1 ? 0 : random());
    const fs::path path = folder_ / ("changed" + std::to_string(round) + ".so");
    write(path, changed);
    if (const std::string why = refused(path, environment_); !why.empty()) {
      const bool opened = opens(path);
      const bool contradiction = why.starts_with("damaged: ") || why.starts_with("truncated: ");
      (contradiction ? contradictions : proven) += 1;
      opened_all_the_same += opened && contradiction ? 1 : 0;
      EXPECT_TRUE(contradiction || !opened)
          << "byte " << at << " = " << std::to_integer<int>(changed[at]) << ": " << why;
    }
    fs::remove(path);
  }
  EXPECT_GT(proven, 5);
  EXPECT_GT(contradictions, 50);
  EXPECT_LT(opened_all_the_same, contradictions / 2);
  RecordProperty("contradictions", contradictions);
  RecordProperty("opened_all_the_same", opened_all_the_same);
}

}  // namespace
}  // namespace myops::link

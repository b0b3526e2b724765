#include "loader/elf/fatbinary.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace myops::elf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Entry {
  std::uint16_t kind = 2;
  std::uint32_t arch = 75;
  std::uint64_t flags = 0x11;
  std::uint64_t content = 24;
  std::uint32_t header = 64;
};

class Writer {
 public:
  template <class T>
  void put(T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    data.insert(data.end(), bytes, bytes + sizeof value);
  }
  void fill(std::size_t count) { data.insert(data.end(), count, std::byte{0x5a}); }
  template <class T>
  void set(std::size_t offset, T value) {
    std::memcpy(data.data() + offset, &value, sizeof value);
  }

  std::vector<std::byte> data;
};

void put_entry(Writer& out, const Entry& entry) {
  const std::size_t start = out.data.size();
  out.put(entry.kind);
  out.put(std::uint16_t{0x101});
  out.put(entry.header);
  out.put(entry.content);
  out.put(std::uint64_t{0});
  out.put(std::uint32_t{0x10008});
  out.put(entry.arch);
  out.put(std::uint64_t{0});
  out.put(entry.flags);
  out.fill(start + entry.header + entry.content - out.data.size());
}

std::vector<std::byte> container(const std::vector<Entry>& entries) {
  Writer content;
  for (const Entry& entry : entries) put_entry(content, entry);
  Writer out;
  out.put(std::uint32_t{0xba55ed50});
  out.put(std::uint16_t{1});
  out.put(std::uint16_t{16});
  out.put(std::uint64_t{content.data.size()});
  out.data.insert(out.data.end(), content.data.begin(), content.data.end());
  return out.data;
}

std::vector<std::byte> joined(const std::vector<std::vector<std::byte>>& parts) {
  std::vector<std::byte> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

constexpr std::size_t kSectionAt = 128;

// An ELF file with a section of this name: header, names, the section, section headers.
std::vector<std::byte> file_with(const std::vector<std::byte>& section, const std::string& name = ".nv_fatbin") {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  header.e_shoff = kSectionAt + section.size();
  Writer out;
  out.put(header);
  const std::string names = '\0' + name + '\0';
  for (const char c : names) out.put(c);
  out.data.resize(kSectionAt);
  out.data.insert(out.data.end(), section.begin(), section.end());
  out.put(Elf64_Shdr{});
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = sizeof header;
  strings.sh_size = names.size();
  out.put(strings);
  Elf64_Shdr fatbin{};
  fatbin.sh_type = SHT_PROGBITS;
  fatbin.sh_name = 1;
  fatbin.sh_offset = kSectionAt;
  fatbin.sh_size = section.size();
  out.put(fatbin);
  return out.data;
}

Result<DeviceCode> read(const std::vector<std::byte>& file) { return read_device_code(SpanBytes(file)); }

Code code_of(const std::vector<std::byte>& section) {
  const auto code = read(file_with(section));
  return code ? Code::kInternalError : code.error().code;
}

TEST(ElfFatbinary, GivesEachArchitectureOnceAndInOrder) {
  const auto code = read(file_with(joined({
      container({{.arch = 120}, {.arch = 75}, {.kind = 1, .arch = 120, .header = 88}}),
      std::vector<std::byte>(8),
      container({{.arch = 75}, {.arch = 90}}),
  })));
  ASSERT_TRUE(code);
  EXPECT_TRUE(code->present);
  EXPECT_THAT(code->all.sm, ElementsAre("75", "90", "120"));
  EXPECT_THAT(code->all.ptx, ElementsAre("120"));
}

TEST(ElfFatbinary, TellsWhereSourceFilesWereCompiledForDifferentOnes) {
  const auto of = [](const std::vector<std::vector<std::byte>>& containers) {
    std::vector<std::string> texts;
    const auto code = read(file_with(joined(containers)));
    for (const auto& part : code->parts) {
      std::string text;
      for (const auto& sm : part.sm) text += "sm_" + sm + " ";
      for (const auto& ptx : part.ptx) text += "PTX " + ptx + " ";
      texts.push_back(text);
    }
    return texts;
  };
  const auto both = container({{.arch = 75}, {.arch = 120}, {.kind = 1, .arch = 120}});
  const auto one = container({{.arch = 120}, {.kind = 1, .arch = 120}});
  EXPECT_THAT(of({both}), IsEmpty());
  EXPECT_THAT(of({both, both, both}), IsEmpty());
  EXPECT_THAT(of({both, one, both, one}), ElementsAre("sm_75 sm_120 PTX 120 ", "sm_120 PTX 120 "));
  EXPECT_THAT(of({both, container({{.kind = 16, .arch = 80}})}), IsEmpty()) << "one without any code lacks none";
}

// As nvcc 13.0 writes sm_90a, sm_100f, compute_90a and compute_103f.
TEST(ElfFatbinary, TellsWhatIsForOneGpuOrOneFamily) {
  const auto code = read(file_with(container({{.arch = 90, .flags = 0x100011},
                                              {.arch = 100, .flags = 0x1200011},
                                              {.arch = 120, .flags = 0x1000011},
                                              {.kind = 1, .arch = 90, .flags = 0x108011},
                                              {.kind = 1, .arch = 103, .flags = 0x208011}})));
  ASSERT_TRUE(code);
  EXPECT_THAT(code->all.sm, ElementsAre("90a", "100f", "120"));
  EXPECT_THAT(code->all.ptx, ElementsAre("90a", "103f"));
}

TEST(ElfFatbinary, OtherKindsOfEntriesArePassedOver) {
  const auto code = read(file_with(container({{.kind = 16, .arch = 80}, {.arch = 75}})));
  ASSERT_TRUE(code);
  EXPECT_THAT(code->all.sm, ElementsAre("75"));
  EXPECT_THAT(code->all.ptx, IsEmpty());
}

TEST(ElfFatbinary, AFileWithoutTheSectionHasNone) {
  for (const std::string name : {".nv_fatbin2", ".nv_fatbi", ".text"}) {
    const auto code = read(file_with(container({{}}), name));
    ASSERT_TRUE(code) << name;
    EXPECT_FALSE(code->present) << name;
  }
  auto stripped = file_with(container({{}}));
  const Elf64_Half none = 0;
  std::memcpy(stripped.data() + offsetof(Elf64_Ehdr, e_shnum), &none, sizeof none);
  ASSERT_TRUE(read(stripped));
  EXPECT_FALSE(read(stripped)->present);
}

TEST(ElfFatbinary, WhatContradictsItselfIsDamaged) {
  const auto good = container({{.arch = 75}, {.arch = 80}});
  const auto with = [&](std::size_t offset, auto value) {
    auto bytes = good;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return code_of(bytes);
  };
  EXPECT_EQ(with(0, std::uint32_t{0x12345678}), Code::kDamaged);    // magic
  EXPECT_EQ(with(6, std::uint16_t{8}), Code::kDamaged);             // header smaller than a header
  EXPECT_EQ(with(8, std::uint64_t{1} << 40), Code::kDamaged);       // beyond the section
  EXPECT_EQ(with(8, ~std::uint64_t{0}), Code::kDamaged);            // a sum that would overflow
  EXPECT_EQ(with(16 + 4, std::uint32_t{0}), Code::kDamaged);        // entry without a header: no end
  EXPECT_EQ(with(16 + 8, std::uint64_t{1} << 40), Code::kDamaged);  // entry beyond its container
  EXPECT_EQ(with(16 + 8, ~std::uint64_t{0}), Code::kDamaged);
  EXPECT_EQ(with(16 + 28, std::uint32_t{0}), Code::kDamaged);  // no architecture
  EXPECT_EQ(with(16 + 28, std::uint32_t{100000}), Code::kDamaged);
}

TEST(ElfFatbinary, MoreEntriesThanAnyCompilerWritesAreNotWalked) {
  const std::vector<Entry> entries(70000, {.content = 0, .header = 48});
  EXPECT_EQ(code_of(container(entries)), Code::kTooLarge);
}

// Whatever byte is changed and wherever the file ends: an answer, within bounds (run it under AddressSanitizer).
TEST(ElfFatbinary, AnyBytesGiveAnAnswer) {
  const auto file = file_with(joined({container({{.arch = 75}, {.kind = 1}}), container({{.arch = 90}})}));
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU}) {
      auto changed = file;
      changed[i] = static_cast<std::byte>(value);
      (void)read(changed);
    }
    (void)read({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(i)});
  }
}

}  // namespace
}  // namespace myops::elf

// Writes minimal ELF files field by field, so that each rule of the reader has a file of its own.
//
//   Image image;
//   image.soname("libx.so").needed("libc10.so").define({.name = "f"}).import({.name = "g"});
//   std::vector<std::byte> bytes = image.build();
//   image.patch(bytes, "dynamic", 8, …);   // damages what lies at a known place
//
// One PT_LOAD maps the whole file at kBase, so an address is an offset plus kBase. Everything else has its own place in
// it.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace myops::elf {

struct ImageSymbol {
  std::string name;
  std::uint8_t type = STT_FUNC;
  std::uint8_t binding = STB_GLOBAL;
  std::uint8_t visibility = STV_DEFAULT;
  std::uint64_t value = 0x1234;
  std::uint16_t section = 1;
  std::uint16_t version = 1;  // the raw DT_VERSYM value, hidden bit included
  bool relocated = true;      // imports: a relocation uses it
};

struct ImageSegment {
  std::uint32_t type = PT_LOAD;
  std::uint32_t flags = PF_R;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, alignment = 0x1000;
};

// Bytes in the byte order and word size of a file.
class ByteWriter {
 public:
  ByteWriter(int bits, bool little_endian) : wide_(bits == 64), little_(little_endian) {}

  void u8(std::uint64_t value) { integer(value, 1); }
  void u16(std::uint64_t value) { integer(value, 2); }
  void u32(std::uint64_t value) { integer(value, 4); }
  void word(std::uint64_t value) { integer(value, wide_ ? 8 : 4); }  // an address, an offset, a size
  void integer(std::uint64_t value, std::size_t size);
  void bytes(const std::string& text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void align(std::size_t alignment) {
    while (bytes_.size() % alignment != 0) u8(0);
  }

  bool wide() const { return wide_; }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte>& data() { return bytes_; }

 private:
  bool wide_;
  bool little_;
  std::vector<std::byte> bytes_;
};

class Image {
 public:
  static constexpr std::uint64_t kBase = 0x10000;

  enum class Hash { kGnu, kSysv, kBoth, kNone };

  // The header.
  int bits = 64;
  bool little_endian = true;
  std::uint16_t type = ET_DYN;
  std::uint16_t machine = EM_X86_64;
  std::uint8_t os_abi = ELFOSABI_SYSV;
  // The tables.
  Hash hash = Hash::kGnu;
  bool with_dynamic = true;
  bool with_versym = false;          // set by needs_version() and defines_version() too
  bool rela = true;                  // DT_RELA, else DT_REL
  std::uint64_t relative_count = 0;  // relative relocations put before the others
  std::vector<ImageSegment> more_segments;
  std::vector<std::pair<std::int64_t, std::uint64_t>> more_dynamic;  // put last

  Image& soname(const std::string& name) { return named(DT_SONAME, name); }
  Image& needed(const std::string& name) { return named(DT_NEEDED, name); }
  Image& named(std::int64_t tag, const std::string& text);
  Image& import(ImageSymbol symbol);
  Image& define(ImageSymbol symbol);
  Image& needs_version(const std::string& file, const std::string& version, std::uint16_t index,
                       std::uint16_t flags = 0);
  Image& defines_version(const std::string& version, std::uint16_t index, std::uint16_t flags = 0);
  // A note in a PT_NOTE (or another type) of its own.
  Image& note(const std::string& owner, std::uint32_t note_type, const std::string& description,
              std::uint64_t alignment = 4, std::uint32_t segment_type = PT_NOTE);

  std::vector<std::byte> build();

  // After build(): where a part lies in the file ("header", "segments", "note0", "symbols", "strings", "versions",
  // "needs", "definitions", "gnu_hash", "sysv_hash", "relocations", "plt_relocations", "dynamic"), and its size.
  std::uint64_t offset_of(const std::string& part) const { return parts_.at(part).first; }
  std::uint64_t size_of(const std::string& part) const { return parts_.at(part).second; }
  std::uint64_t address_of(const std::string& part) const { return offset_of(part) + kBase; }

  // Overwrites an integer of `size` bytes at `offset` within a part.
  void patch(std::vector<std::byte>& bytes, const std::string& part, std::uint64_t offset, std::uint64_t value,
             std::size_t size) const;

 private:
  struct Note {
    std::string owner;
    std::uint32_t type;
    std::string description;
    std::uint64_t alignment;
    std::uint32_t segment_type;
  };
  struct Need {
    std::string file, version;
    std::uint16_t index, flags;
  };
  struct Definition {
    std::string version;
    std::uint16_t index, flags;
  };

  std::uint64_t string(const std::string& text);
  template <class Write>
  void part(ByteWriter& file, const std::string& name, Write write);
  void order_symbols();
  static std::uint32_t gnu_bucket_of(const std::string& name);
  std::vector<std::pair<std::int64_t, std::uint64_t>> dynamic_entries() const;

  void write_header(ByteWriter& file) const;
  void write_segments(ByteWriter& file) const;
  void write_note(ByteWriter& file, const Note& note) const;
  void write_symbols(ByteWriter& file);
  void write_needs(ByteWriter& file);
  void write_definitions(ByteWriter& file);
  void write_gnu_hash(ByteWriter& file) const;
  void write_sysv_hash(ByteWriter& file) const;
  void write_relocations(ByteWriter& file) const;
  void write_dynamic(ByteWriter& file) const;
  std::size_t segment_count() const { return more_segments.size() + notes_.size() + 1 + (with_dynamic ? 1 : 0); }
  std::uint64_t file_size_ = 0;

  std::string strings_ = std::string(1, '\0');
  std::vector<std::pair<std::int64_t, std::uint64_t>> named_;
  std::vector<ImageSymbol> imports_;
  std::vector<ImageSymbol> exports_;
  std::vector<Note> notes_;
  std::vector<Need> needs_;
  std::vector<Definition> definitions_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> parts_;
};

}  // namespace myops::elf

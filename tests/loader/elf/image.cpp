#include "tests/loader/elf/image.h"

#include <algorithm>

namespace myops::elf {
void ByteWriter::integer(std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t shift = 8 * (little_ ? i : size - 1 - i);
    bytes_.push_back(static_cast<std::byte>(value >> shift & 0xff));
  }
}

Image& Image::named(std::int64_t tag, const std::string& text) {
  named_.emplace_back(tag, string(text));
  return *this;
}

Image& Image::import(ImageSymbol symbol) {
  symbol.section = SHN_UNDEF;
  symbol.value = 0;
  imports_.push_back(std::move(symbol));
  return *this;
}

Image& Image::define(ImageSymbol symbol) {
  exports_.push_back(std::move(symbol));
  return *this;
}

Image& Image::needs_version(const std::string& file, const std::string& version, std::uint16_t index,
                            std::uint16_t flags) {
  needs_.push_back({file, version, index, flags});
  with_versym = true;
  return *this;
}

Image& Image::defines_version(const std::string& version, std::uint16_t index, std::uint16_t flags) {
  definitions_.push_back({version, index, flags});
  with_versym = true;
  return *this;
}

Image& Image::note(const std::string& owner, std::uint32_t note_type, const std::string& description,
                   std::uint64_t alignment, std::uint32_t segment_type) {
  notes_.push_back({owner, note_type, description, alignment, segment_type});
  return *this;
}

std::uint64_t Image::string(const std::string& text) {
  const std::uint64_t offset = strings_.size();
  strings_ += text;
  strings_ += '\0';
  return offset;
}

void Image::patch(std::vector<std::byte>& bytes, const std::string& part, std::uint64_t offset, std::uint64_t value,
                  std::size_t size) const {
  ByteWriter integer(bits, little_endian);
  integer.integer(value, size);
  std::copy(integer.data().begin(), integer.data().end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(offset_of(part) + offset));
}

template <class Write>
void Image::part(ByteWriter& file, const std::string& name, Write write) {
  file.align(8);
  const std::uint64_t start = file.size();
  write();
  parts_[name] = {start, file.size() - start};
}

// DT_GNU_HASH wants the symbols of a bucket together.
void Image::order_symbols() {
  std::stable_sort(exports_.begin(), exports_.end(), [](const ImageSymbol& a, const ImageSymbol& b) {
    return gnu_bucket_of(a.name) < gnu_bucket_of(b.name);
  });
}

std::vector<std::byte> Image::build() {
  order_symbols();
  const std::string strings_before = strings_;
  // Twice: the second time every place and the size are known.
  std::vector<std::byte> bytes;
  for (int pass = 0; pass < 2; ++pass) {
    ByteWriter file(bits, little_endian);
    part(file, "header", [&] { write_header(file); });
    part(file, "segments", [&] { write_segments(file); });
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      part(file, "note" + std::to_string(i), [&] { write_note(file, notes_[i]); });
    }
    part(file, "symbols", [&] { write_symbols(file); });
    part(file, "versions", [&] {
      file.u16(0);
      for (const auto* symbols : {&imports_, &exports_}) {
        for (const ImageSymbol& symbol : *symbols) file.u16(symbol.version);
      }
    });
    part(file, "needs", [&] { write_needs(file); });
    part(file, "definitions", [&] { write_definitions(file); });
    part(file, "gnu_hash", [&] { write_gnu_hash(file); });
    part(file, "sysv_hash", [&] { write_sysv_hash(file); });
    part(file, "relocations", [&] { write_relocations(file); });
    part(file, "dynamic", [&] { write_dynamic(file); });
    part(file, "strings", [&] { file.bytes(strings_); });
    file_size_ = file.size();
    bytes = file.data();
    strings_ = strings_before;
  }
  return bytes;
}

}  // namespace myops::elf

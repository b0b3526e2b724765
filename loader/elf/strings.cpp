#include "loader/elf/strings.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "loader/elf/faults.h"

namespace myops::elf {
namespace {

constexpr const char* kTable = "string table";

Reason outside(const char* subject, std::uint64_t offset, std::uint64_t size) {
  return damaged(subject, fmt::format("an offset below {:#x} in the string table", size), hex(offset));
}

}  // namespace

Result<StringReader> StringReader::open(const Dynamic& dynamic, const Segments& segments) {
  StringReader reader;
  const auto extent = table_at(segments, dynamic.flags(DT_STRTAB), kTable);
  if (!extent) return extent.error();
  reader.extent_ = *extent;
  // glibc never looks at DT_STRSZ; where it is absent the segment is the bound.
  const std::uint64_t size = dynamic.value(DT_STRSZ).value_or(extent->size);
  if (size > extent->size) return damaged(kTable, fmt::format("at most {:#x} bytes", extent->size), hex(size));
  reader.extent_.size = size;
  return reader;
}

Result<std::string> StringReader::read(Window& window, std::uint64_t offset, const char* subject) {
  if (offset >= extent_.size) return outside(subject, offset, extent_.size);
  std::string text;
  for (;;) {
    const auto piece = window.some(extent_.offset + offset, extent_.size - offset);
    if (!piece) return piece.error();
    const char* start = reinterpret_cast<const char*>(piece->data());
    const std::size_t length = strnlen(start, piece->size());
    total_ += length;
    if (total_ > kMaxTableBytes) return too_large(kTable, total_);
    if (total_ > window.file_size()) return damaged(subject, "strings shorter than the file", hex(total_));
    text.append(start, length);
    if (length < piece->size()) return text;
    offset += length;
    if (offset >= extent_.size) return damaged(subject, "a string that ends", "none in the string table");
  }
}

Result<bool> StringReader::contains(Window& window, std::string_view part) const {
  if (extent_.size > kMaxTableBytes) return too_large(kTable, extent_.size);
  constexpr std::uint64_t kPiece = 16384;
  std::string held;
  for (std::uint64_t offset = 0; offset < extent_.size;) {
    const std::uint64_t size = std::min(kPiece, extent_.size - offset);
    const auto piece = window.at(extent_.offset + offset, static_cast<std::size_t>(size));
    if (!piece) return piece.error();
    held.append(reinterpret_cast<const char*>(piece->data()), piece->size());
    if (held.find(part) != std::string::npos) return true;
    held.erase(0, held.size() - std::min(held.size(), part.size()));  // it may stand across two pieces
    offset += size;
  }
  return false;
}

Result<StringTable> StringTable::load(const Window& window, const Extent& extent) {
  if (extent.size > kMaxTableBytes) return too_large(kTable, extent.size);
  auto buffer = std::make_shared<std::string>(static_cast<std::size_t>(extent.size), '\0');
  if (auto read = window.copy(extent.offset, std::as_writable_bytes(std::span(*buffer))); !read) return read.error();
  StringTable table;
  table.buffer_ = std::move(buffer);
  return table;
}

Result<std::string_view> StringTable::at(std::uint64_t offset) {
  if (offset >= buffer_->size()) return outside(kTable, offset, buffer_->size());
  const char* start = buffer_->data() + offset;
  const std::size_t length = strnlen(start, buffer_->size() - offset);
  if (offset + length == buffer_->size()) return damaged(kTable, "a string that ends", "none at " + hex(offset));
  total_ += length;
  if (total_ > kSlack && (total_ - kSlack) / kMaxRepeats > buffer_->size()) {
    return damaged(kTable, fmt::format("names of at most {} times its size", kMaxRepeats), hex(total_));
  }
  return std::string_view(start, length);
}

}  // namespace myops::elf

#include "loader/elf/window.h"

#include <algorithm>

#include "loader/elf/faults.h"

namespace myops::elf {

Result<std::span<const std::byte>> Window::head() {
  const auto ready = bytes_.in_memory();
  if (ready.size() >= std::min<std::uint64_t>(kHeadBytes, file_size())) {
    return ready.first(std::min(kHeadBytes, ready.size()));
  }
  if (head_.empty() && file_size() > 0) {
    std::vector<std::byte> head(static_cast<std::size_t>(std::min<std::uint64_t>(kHeadBytes, file_size())));
    if (auto read = copy(0, head); !read) return read.error();
    head_ = std::move(head);
  }
  return std::span<const std::byte>(head_);
}

Result<std::span<const std::byte>> Window::at(std::uint64_t offset, std::size_t size) {
  if (!inside(offset, size, file_size())) return truncated("read", offset, size, file_size());
  if (const auto ready = bytes_.in_memory(); inside(offset, size, ready.size())) return ready.subspan(offset, size);
  if (inside(offset, size, head_.size())) return std::span<const std::byte>(head_).subspan(offset, size);
  if (offset < block_offset_ || !inside(offset - block_offset_, size, block_.size())) {
    std::vector<std::byte> block(static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(size, kBlockBytes), file_size() - offset)));
    if (auto read = copy(offset, block); !read) return read.error();
    block_ = std::move(block);
    block_offset_ = offset;
  }
  return std::span<const std::byte>(block_).subspan(static_cast<std::size_t>(offset - block_offset_), size);
}

Result<void> Window::copy(std::uint64_t offset, std::span<std::byte> out) const {
  if (!inside(offset, out.size(), file_size())) return truncated("read", offset, out.size(), file_size());
  if (!bytes_.read(offset, out)) return unreadable(offset, out.size());
  return {};
}

Result<std::span<const std::byte>> Window::some(std::uint64_t offset, std::uint64_t size, std::size_t block) {
  if (size == 0 || !inside(offset, size, file_size())) return truncated("read", offset, size, file_size());
  const auto held = [&](std::uint64_t start, std::uint64_t length) {
    return offset >= start && offset - start < length ? length - (offset - start) : 0;
  };
  const std::uint64_t ready =
      std::max({held(0, bytes_.in_memory().size()), held(0, head_.size()), held(block_offset_, block_.size())});
  return at(offset, static_cast<std::size_t>(std::min(size, ready > 0 ? ready : block)));
}

}  // namespace myops::elf

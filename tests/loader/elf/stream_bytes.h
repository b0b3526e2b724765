// A real file as Bytes, for tests of the pure parts. (The loader's own, with its guards, is
// loader/system/file_bytes.h.)
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include "loader/elf/bytes.h"

namespace myops::elf {

class StreamBytes final : public Bytes {
 public:
  explicit StreamBytes(const std::string& path) : stream_(path, std::ios::binary | std::ios::ate) {
    if (stream_) size_ = static_cast<std::uint64_t>(stream_.tellg());
  }

  bool is_open() const { return stream_.is_open(); }
  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > size_ || out.size() > size_ - offset) return false;
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    return static_cast<bool>(stream_);
  }

 private:
  mutable std::ifstream stream_;
  std::uint64_t size_ = 0;
};

}  // namespace myops::elf

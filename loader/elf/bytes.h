// A file's content as the readers see it: a size, and bounded reads that can fail.
//
// The ELF reader and everything above it read only through this, so they run alike over a real file (loader/system)
// and over an array in a test, and a file that shrinks under them gives `false`, never SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace myops::elf {

class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::uint64_t size() const = 0;
  // Fills all of `out` from `offset`, or returns false (outside the file, or it could not be read).
  virtual bool read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  // The first bytes, as far as they are in memory already; the view ends where more are brought there.
  virtual std::span<const std::byte> in_memory() const { return {}; }
};

// Bytes over memory that the caller keeps alive.
class SpanBytes final : public Bytes {
 public:
  explicit SpanBytes(std::span<const std::byte> data) : data_(data) {}
  std::uint64_t size() const override { return data_.size(); }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > data_.size() || out.size() > data_.size() - offset) return false;
    if (!out.empty()) std::memcpy(out.data(), data_.data() + offset, out.size());
    return true;
  }

 private:
  std::span<const std::byte> data_;
};

}  // namespace myops::elf

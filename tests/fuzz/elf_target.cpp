// A library's bytes, read to every depth, steadily and while they change under the reader.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/elf/fatbinary.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {
namespace {

using elf::Depth;
using elf::ElfFacts;

constexpr Depth kDepths[] = {Depth::kIdentity, Depth::kVersions, Depth::kSymbols, Depth::kOpening};

// The content until the file was read some times; from then on another one, as the input's last byte has it: the file
// is gone, half as long, or has other bytes in it. The last byte but one says when.
class ChangingBytes final : public elf::Bytes {
 public:
  explicit ChangingBytes(Input input)
      : input_(input),
        steady_reads_(std::to_integer<int>(input[input.size() - 2])),
        change_(std::to_integer<int>(input.back()) % 3) {}

  std::uint64_t size() const override { return input_.size(); }

  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    const bool changed = reads_++ >= steady_reads_;
    const std::size_t end = !changed || change_ == 2 ? input_.size() : change_ == 1 ? input_.size() / 2 : 0;
    if (!elf::SpanBytes(input_.first(end)).read(offset, out)) return false;
    if (changed) {
      for (std::byte& byte : out) byte ^= std::byte{0x41};
    }
    return true;
  }

 private:
  Input input_;
  int steady_reads_;
  int change_;
  mutable int reads_ = 0;
};

// All of it is in memory already.
class MappedBytes final : public elf::Bytes {
 public:
  explicit MappedBytes(Input input) : input_(input) {}
  std::uint64_t size() const override { return input_.size(); }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    return elf::SpanBytes(input_).read(offset, out);
  }
  Input in_memory() const override { return input_; }

 private:
  Input input_;
};

bool same_identity(const ElfFacts& one, const ElfFacts& other) {
  return one.bits == other.bits && one.machine == other.machine && one.type == other.type &&
         one.soname == other.soname && one.needed == other.needed && one.rpath == other.rpath &&
         one.runpath == other.runpath && one.build_id == other.build_id && one.manifest == other.manifest &&
         one.manifest_offset == other.manifest_offset && one.isa_needed == other.isa_needed;
}

bool every_export_is_found(const ElfFacts& facts) {
  for (std::size_t i = 0; i < facts.exports.size(); ++i) {
    const auto found = facts.export_index.find(elf::ExportIndex::hash(facts.exports[i].name));
    if (found.size() < elf::ExportIndex::kMaxPerName && std::find(found.begin(), found.end(), i) == found.end()) {
      return false;
    }
  }
  return true;
}

}  // namespace

void read_elf(Input input) {
  const elf::SpanBytes bytes(input);
  const Result<ElfFacts> identity = elf::parse_elf(bytes, Depth::kIdentity);
  for (const Depth depth : kDepths) {
    const Result<ElfFacts> facts = elf::parse_elf(bytes, depth);
    const Result<ElfFacts> mapped = elf::parse_elf(MappedBytes(input), depth);
    require(facts.has_value() == mapped.has_value(), "bytes in memory and bytes read give one result");
    if (!facts) continue;
    require(identity.has_value(), "what a deep reading takes, a shallow one takes too");
    require(same_identity(*facts, *identity) && same_identity(*facts, *mapped), "depth does not change the identity");
    require(facts->fault || every_export_is_found(*facts), "every export is in the index");
    elf::refusal(*facts);
    elf::machine_name(facts->machine, facts->bits, facts->little_endian);
  }
  elf::names_contain(bytes, "torch");
  elf::read_device_code(bytes);
  if (input.size() < 2) return;
  for (const Depth depth : kDepths) elf::parse_elf(ChangingBytes(input), depth);
}

}  // namespace myops::fuzz

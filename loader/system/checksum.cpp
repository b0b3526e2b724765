#include "loader/system/checksum.h"

#define OPENSSL_API_COMPAT 0x10100000L  // the plain functions: those of EVP bring all of libcrypto with them
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace myops::system {
namespace {

constexpr std::uint64_t kPart = std::uint64_t{1} << 20;

}  // namespace

std::optional<std::string> sha256_of(const FileBytes& bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  std::vector<std::byte> part(static_cast<std::size_t>(std::min(kPart, bytes.size())));
  for (std::uint64_t at = 0; at < bytes.size();) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), bytes.size() - at));
    if (!bytes.read(at, std::span(part).first(size))) return std::nullopt;
    SHA256_Update(&context, part.data(), size);
    at += size;
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &context);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest) hex += {kDigits[byte >> 4], kDigits[byte & 15]};
  return hex;
}

}  // namespace myops::system

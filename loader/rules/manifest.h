// The manifest that every plugin carries: what it registers and what it was built for, as measured by `myops stamp`.
// docs/design.md §4 has an example. Pure: text in, value out. Unknown fields are kept for a round trip.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/reason.h"

namespace myops::rules {

inline constexpr int kManifestFormat = 1;

struct KernelRecord {
  std::string schema;      // canonical schema text, without the namespace
  std::string cpp;         // C++ signature of the unboxed kernel, as torch prints it; "" for boxed kernels
  std::string cpp_symint;  // the same for a SymInt form, "" where there is none
  std::string registered;  // torch's registration text, as a dispatcher snapshot gives it
};

struct Manifest {
  int format = kManifestFormat;
  std::string name;                  // "myops_cpu"
  std::string version;               // "0.1.0"
  std::string op_namespace;          // JSON "namespace": "myops"
  std::string set;                   // libraries that are released together; `release` is compared only within one set
  std::string release;               // "0.1.0+torch2.15+<hash of the schemas>"
  std::vector<std::string> defines;  // canonical schemas, with namespace: "myops::myadd(Tensor self, …) -> Tensor"
  std::vector<std::string> libraries;  // namespaces whose one TORCH_LIBRARY block is in the file; a fragment is none
  std::map<std::string, std::map<std::string, KernelRecord>> kernels;  // dispatch key → "myops::rms_norm" → record
  std::vector<std::string> fallbacks;                                  // dispatch keys with a backend fallback
  struct {
    std::string version;  // "2.15.0"
    std::string git;
    std::string abi;        // "exact" or "stable>=2.11"
    std::string cuda;       // "13.2", "" for a CPU-only torch
    std::string cxx11_abi;  // "new" or "old"; "" where it was not recorded: then it is not compared
    std::map<std::string, std::string> build_ids;  // "libc10.so" → hex
  } torch;
  struct {
    std::string arch;   // "x86_64"
    std::string level;  // "x86-64", "x86-64-v3", …
  } cpu;
  struct DeviceCode {
    std::vector<std::string> sm;   // "75", "80", …: machine code
    std::vector<std::string> ptx;  // "120": code that newer drivers can translate
  };
  struct Cuda {
    std::string runtime;                 // "13.0"
    DeviceCode code;                     // JSON "sm" and "ptx": what any source file of it was compiled for
    std::vector<DeviceCode> parts = {};  // what each was, where they differ; absent where they do not
  };
  std::optional<Cuda> cuda;
  std::string unknown;  // JSON object text of the fields, at any depth, that this version does not know; "" for none

  // Every dispatch key it registers kernels for; whether one of them meets a condition.
  std::vector<std::string> keys() const;
  template <class Condition>
  bool has_key(Condition condition) const {
    return std::ranges::any_of(kernels,
                               [&](const auto& of_key) { return !of_key.second.empty() && condition(of_key.first); });
  }
  // Whether it does anything to the dispatcher.
  bool registers() const;
};

// Errors: unstamped (empty text), manifest-damaged (subject names the field), manifest-newer.
Result<Manifest> parse_manifest(std::string_view text);
// Compact JSON text, keys in a fixed order, no clock or randomness: equal manifests give equal bytes.
std::string to_json_text(const Manifest& manifest);

// The hash in `release`: FNV-1a 64 over the sorted texts (the canonical schemas), 12 hex digits. An identity, not a
// signature.
std::string schemas_hash(std::vector<std::string> schemas);

}  // namespace myops::rules

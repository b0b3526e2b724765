// The world a file is judged in: this machine, the torch chosen, and what the user asked for. Values only:
// loader/system gathers them, a test writes them by hand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/reason.h"

namespace myops::rules {

struct Lock;

struct Gpu {
  std::string name;
  std::string capability;  // "9.0", "" where unknown
};

struct HostFacts {
  std::string arch;  // "x86_64"
  std::string cpu_name;
  std::string cpu_level;  // widest psABI level that CPU and OS both offer: "x86-64", "x86-64-v2", -v3, -v4
  std::vector<std::string> cpu_features;  // "avx2", "avx512f", …: usable ones, i.e. with the OS's XCR0 bit too
  std::vector<Gpu> gpus;
  std::string driver;  // NVIDIA driver version "580.65.06", "" where none
  std::string libc;    // "glibc 2.36"
  std::uint64_t page_size = 4096;
};

struct TorchFacts {
  std::string lib_dir;  // folder of libc10.so and libtorch_cpu.so
  std::string version;  // "2.15.0" (with dev suffix where it has one, without "+cu132")
  std::string git;
  std::string cuda;                              // "13.2", "" for a CPU-only build
  std::string hip;                               // "" unless ROCm
  std::string cxx11_abi;                         // "new" or "old"
  std::map<std::string, std::string> build_ids;  // "libc10.so", "libtorch_cpu.so", … → hex
  bool mapped = false;                           // in this process already
  bool cuda_mapped = false;                      // libtorch_cuda is in this process
  std::string python;                            // the environment's Python executable, "" for a plain libtorch

  std::string minor() const;  // "2.15"
};

// What is told at a call for which a kernel is missing.
enum class Explain {
  kAll,        // by stand-ins for missing devices and missing gradients
  kGradients,  // by those for missing gradients alone: the caller has another way for devices (Python)
  kNothing,    // what torch says
};

// What is asked for, with the environment variables already merged in by loader/system.
struct Request {
  std::vector<std::string> paths;    // folders (or files) searched before the default ones
  std::string torch_dir;             // --torch
  std::vector<std::string> require;  // dispatch keys ("CPU", "Autograd") that must be served
  std::vector<std::string> prefer;   // libraries (globs on the name) taken before others on equal rank
  std::vector<std::string>
      disable;                    // globs on library or file names; a dispatch key means libraries that serve only it
  std::string cpu_cap;            // psABI level (ATEN_CPU_CAPABILITY): variants within it before wider ones; "": no cap
  bool allow_incomplete = false;  // load a mutating backend without ADInplaceOrView; the report is then tainted
  bool allow_unstamped = false;   // load libraries whose manifest was never written; the report is then tainted
  bool allow_no_gpu = false;  // load CUDA libraries on a machine without a GPU: registrations, and no kernel that runs
  Explain explain = Explain::kAll;
  bool quiescent = false;            // no operator runs meanwhile: what stands in for missing kernels may be replaced
  bool strict = false;               // trust="strict": group-writable or another's files are refused
  std::vector<Code> skip;            // reasons that stop nothing; the report is then tainted
  std::shared_ptr<const Lock> lock;  // only what it lists is taken
  bool open_torch = false;           // C++ host: open the chosen torch where none is mapped
  // The effective user: files of others, root excepted, are doubted. None: owners are not looked at.
  std::optional<std::uint32_t> user_id;
};

}  // namespace myops::rules

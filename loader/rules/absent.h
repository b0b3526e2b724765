// Kernels that nobody registered, and why: which library would bring one, and what became of it. Pure.
#pragma once

#include <string>
#include <vector>

namespace myops::rules {

struct DispatcherState;
struct Report;
struct Request;

struct AbsentKernel {
  std::string op;                    // "myops::rms_norm"
  std::string key;                   // "CPU", "CUDA", "PrivateUse1", or "Autograd"
  std::vector<std::string> devices;  // for "Autograd": backend keys whose kernels record no gradients by themselves
  std::string text;                  // for whoever needs the kernel
};

// "myops::rms_norm has no CUDA kernel: libmyops_cuda.so was not loaded (no-gpu: …)", as far as the last load knows.
std::string absent_text(const Report& report, const std::string& op, const std::string& key);

// After a load: where stand-ins are due, as Request::explain has it. An operator that was there before this load may be
// running: unless it got kernels by it, or the request says that none runs, only the stand-ins that it has are renewed.
std::vector<AbsentKernel> absent_kernels(const Report& report, const DispatcherState& before, const Request& request);

// Names of the operators that libraries in the process define.
std::vector<std::string> defined_operators(const Report& report);

// Devices for which a library was found that is not in the process, and whose work composite kernels do.
std::vector<std::string> served_by_composite(const Report& report);

}  // namespace myops::rules

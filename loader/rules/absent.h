// Kernels that nobody registered, and why: which library would bring one, and what became of it. Pure.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace myops::rules {

struct DispatcherState;
struct LoadPlan;
struct Report;
struct Request;

struct AbsentKernel {
  std::string op;    // "myops::rms_norm"
  std::string key;   // "CPU", "CUDA", "PrivateUse1", or "Autograd"
  std::string text;  // for whoever needs the kernel
};

// "myops::rms_norm has no CUDA kernel: libmyops_cuda.so was not loaded (no-gpu: …)", as far as the last load knows.
std::string absent_text(const Report& report, const std::string& op, const std::string& key);

// After a load: where stand-ins are due, as Request::explain has it. An operator that something computed before this
// load may be running: unless the request says that none is, only the stand-ins that it has are renewed.
std::vector<AbsentKernel> absent_kernels(const Report& report, const DispatcherState& before, const Request& request);

// Would a kernel on `key` come to lie on, or behind, a stand-in on `explained`?
bool meets_stand_in(const std::string& key, const std::string& explained);

// Those of the stand-ins in `explained` that kernels would come to lie on, or behind, which a load would register.
std::vector<AbsentKernel> stand_ins_met(const LoadPlan& plan,
                                        const std::set<std::pair<std::string, std::string>>& explained);

// Names of the operators that libraries in the process define.
std::vector<std::string> defined_operators(const Report& report);

// Devices for which a library was found that is not in the process, and whose work composite kernels do.
std::vector<std::string> served_by_composite(const Report& report);

}  // namespace myops::rules

// A plugin is a CUDA library where its manifest has a "cuda" part.
//
// Torch must be built with CUDA, of the same major version: 12.6 runs with 12.8 (minor version compatibility), 11 does
// not. The driver must be at least the minimum of that major version. For each visible GPU there must be machine code
// of its major capability and a minor one not above its own, or PTX not above its capability; where that is so of some
// of its source files only, a note tells. Sources: CUDA Compatibility guide, "Minor Version Compatibility", table 1;
// CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility", "Application Compatibility".
#include <algorithm>
#include <set>

#include "loader/rules/checks.h"
#include "loader/rules/gpu_arch.h"
#include "loader/rules/version.h"

namespace myops::rules {
namespace {

// The oldest Linux driver for a major version of the CUDA runtime; "" where it is not known.
std::string oldest_driver(unsigned cuda_major) {
  switch (cuda_major) {
    case 11:
      return "450.80.02";
    case 12:
      return "525";
    case 13:
      return "580";
    default:
      return "";
  }
}

void check_torch_flavour(const Manifest::Cuda& cuda, const TorchFacts& torch, const HostFacts& host,
                         const Request& request, Judgement& judgement) {
  if (!torch.hip.empty()) {
    judgement.reasons.push_back({Code::kTorchIsRocm, "torch", cuda.runtime, "ROCm " + torch.hip,
                                 "install a CUDA build of torch, or leave this library out"});
    return;
  }
  if (torch.cuda.empty() && torch.cuda_mapped) {
    judgement.notes.push_back("built for CUDA " + cuda.runtime + ": that of this torch is not known");
    return;
  }
  if (torch.cuda.empty()) {
    judgement.reasons.push_back({Code::kCudaNotInTorch, "torch", cuda.runtime, "CPU-only torch " + torch.version,
                                 "install a CUDA build of torch, or leave this library out"});
    return;
  }
  const auto built = parse_version(cuda.runtime);
  const auto present = parse_version(torch.cuda);
  if (!built || !present) {
    judgement.notes.push_back("built for CUDA " + cuda.runtime + ": that of this torch, " + torch.cuda +
                              ", is not clear");
  } else if (built->major() != present->major()) {
    judgement.reasons.push_back({Code::kCudaVersionMismatch, "CUDA", cuda.runtime, torch.cuda,
                                 "install the build for CUDA " + std::to_string(present->major())});
  }
  // A torch that was opened for this load has its CUDA part where there is a GPU: without one, no-gpu says it all.
  const bool left_out = request.open_torch && !request.allow_no_gpu && host.gpus.empty();
  if (torch.mapped && !torch.cuda_mapped && !left_out) {
    judgement.reasons.push_back({Code::kTorchCudaNotLoaded, "libtorch_cuda.so", "", "a process with libtorch_cpu only",
                                 "import torch, or link libtorch_cuda into the program"});
  }
}

// NVIDIA's package for it puts a newer libcuda over an older kernel driver, where it is installed or a container brings
// it. Data-centre GPUs and some others take that, GeForce does not ("CUDA Compatibility", chapter "Forward
// Compatibility"); of a GPU without a name nothing is known.
bool may_be_forward_compatible(const HostFacts& host) {
  return host.gpus.empty() || std::any_of(host.gpus.begin(), host.gpus.end(),
                                          [](const Gpu& gpu) { return gpu.name.find("GeForce") == std::string::npos; });
}

void check_driver(const Manifest::Cuda& cuda, const HostFacts& host, Judgement& judgement) {
  const auto runtime = parse_version(cuda.runtime);
  const auto driver = parse_version(host.driver);
  if (!runtime || host.driver.empty()) return;
  const std::string oldest = oldest_driver(runtime->major());
  const auto least = parse_version(oldest);
  if (!driver || !least) {
    judgement.notes.push_back("whether driver " + host.driver + " is new enough for CUDA " + cuda.runtime +
                              " is not known");
  } else if (!is_older(*driver, *least)) {
    return;
  } else if (may_be_forward_compatible(host)) {
    judgement.notes.push_back("CUDA " + cuda.runtime + " needs NVIDIA driver " + oldest + " or newer, this is " +
                              host.driver + ": its kernels run only where the forward-compatibility package " +
                              "(cuda-compat) is in use");
  } else {
    judgement.reasons.push_back(
        {Code::kDriverTooOld, "NVIDIA driver", oldest, host.driver, "update the driver to " + oldest + " or newer"});
  }
}

// No refusal: code for one GPU alone is often chosen at run time, beside other code for the rest.
void note_parts(const Manifest::Cuda& cuda, const std::string& gpu, const Capability& capability,
                Judgement& judgement) {
  for (const Manifest::DeviceCode& part : cuda.parts) {
    if (runs_on(part, capability)) continue;
    judgement.notes.push_back("a part of it has code for " + code_list(part) + " only: on " + gpu + " (" +
                              capability_text(capability) + ") its kernels fail, if they are called there");
  }
}

void check_code(const Manifest::Cuda& cuda, const HostFacts& host, Judgement& judgement) {
  if (cuda.code.sm.empty() && cuda.code.ptx.empty()) return;  // no device code of its own
  std::set<std::string> seen;
  for (const Gpu& gpu : host.gpus) {
    const std::string name = gpu.name.empty() ? "a GPU" : gpu.name;
    if (!seen.insert(name + '\0' + gpu.capability).second) continue;
    const auto capability = parse_capability(gpu.capability);
    if (!capability) {
      judgement.notes.push_back("whether it holds code for " + name + " is not known: its compute capability is not");
    } else if (!runs_on(cuda.code, *capability)) {
      judgement.reasons.push_back(
          {Code::kGpuArchMissing, name, code_list(cuda.code), capability_text(*capability),
           "install a build for " + capability_text(*capability) + ", or hide this GPU with CUDA_VISIBLE_DEVICES"});
    } else {
      note_parts(cuda, name, *capability, judgement);
    }
  }
}

}  // namespace

void check_cuda(const Question& question, Judgement& judgement) {
  if (!question.evidence.manifest || !question.evidence.manifest->cuda) return;
  const Manifest::Cuda& cuda = *question.evidence.manifest->cuda;
  const HostFacts& host = question.host;
  if (question.torch) check_torch_flavour(cuda, *question.torch, host, question.request, judgement);
  if (host.gpus.empty() && question.request.allow_no_gpu) {
    judgement.notes.push_back("no NVIDIA GPU was found: it can be opened, and none of its kernels can run");
  } else if (host.gpus.empty()) {
    const std::string found = host.driver.empty() ? "no NVIDIA driver" : "driver " + host.driver + ", but no device";
    judgement.reasons.push_back(
        {Code::kNoGpu, "NVIDIA GPU", "", found,
         "harmless on a machine without one; otherwise look at CUDA_VISIBLE_DEVICES and the driver"});
  }
  check_driver(cuda, host, judgement);
  check_code(cuda, host, judgement);
}

}  // namespace myops::rules

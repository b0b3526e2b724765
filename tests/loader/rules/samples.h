// Values that the rules' tests start from: a machine, a torch, and the libraries of a small set `myops`, with nothing
// against them. A test changes one thing and says what follows.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "loader/rules/plan.h"

namespace myops::rules::samples {

// x86-64-v3 with glibc 2.36, no GPU.
HostFacts host();
// The same with one H100 and driver 580.65.06.
HostFacts gpu_host();
// 2.15.0 for CUDA 13.2, not in this process.
TorchFacts torch();

// The operators of the set: canonical schemas with namespace, and the C++ signature of their kernels.
extern const char* const kScale;  // myops::scale(Tensor self, float factor) -> Tensor
extern const char* const kBump;   // myops::bump_(Tensor(a!) self) -> Tensor(a!)
extern const char* const kScaleCpp;
extern const char* const kBumpCpp;

KernelRecord scale_record(const std::string& key);
KernelRecord bump_record(const std::string& key);

// A manifest of release "1", with nothing in it yet.
Manifest manifest(const std::string& name);
// Defines scale and bump_ in the TORCH_LIBRARY block of myops.
Manifest schema_manifest();
// Kernels for scale and bump_ on the keys.
Manifest kernels_manifest(const std::string& name, std::initializer_list<std::string> keys);
// Kernels for scale only.
Manifest scale_manifest(const std::string& name, std::initializer_list<std::string> keys);
// A CUDA library for CUDA 13 with code for sm_80 and sm_90.
Manifest cuda_manifest();

// A readable file of mode 0644, with resolved and complete dependencies.
Evidence evidence(const Manifest& manifest);
// The same without a manifest note.
Evidence foreign_evidence(const std::string& name);

// The verdict on it on the sample host, and on the one with a GPU.
Verdict judged(const Evidence& evidence, const Request& request = {});

// A usable file FOLDER/libNAME.so with a build-id and inode of its own.
Verdict usable(const Manifest& manifest, const std::string& folder = "/p");
// The same, refused by judge() for another torch.
Verdict refused(const Manifest& manifest, const std::string& folder = "/p");

// What the dispatcher holds once these files are loaded into `before`.
DispatcherState loaded(const std::vector<Manifest>& manifests, DispatcherState before = {});

// Names of the planned libraries, in order.
std::vector<std::string> names_in_order(const LoadPlan& plan);
// The only file of that name.
const Verdict& file_named(const LoadPlan& plan, const std::string& name);
const Verdict& file_at(const LoadPlan& plan, const std::string& path);

}  // namespace myops::rules::samples

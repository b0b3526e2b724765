// Why a file is not loaded, as data: a stable code with its token, and what a person needs to mend it.
//
// Everything else in the loader speaks in these types. This header knows nothing of files, torch or JSON.
#pragma once

#include <boost/system/result.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace myops {

// One row a code: enumerator, token (the word used alike by CLI, JSON, Python and docs), and when it occurs.
// docs/reasons.md has a row for each; a test holds the two lists equal.
#define MYOPS_REASON_CODES(X)                                                                                        \
  X(kNotALibrary, "not-a-library", "the file is no ELF shared object (text, archive, executable, folder, FIFO, …)")  \
  X(kTruncated, "truncated", "the file ends before the data its headers promise")                                    \
  X(kDamaged, "damaged", "the headers contradict themselves or the file")                                            \
  X(kUnreadable, "unreadable", "the file or folder could not be read; `found` has the errno text")                   \
  X(kTooLarge, "too-large", "a table of the file is larger than any that this reader takes")                         \
  X(kNoexec, "noexec", "the file lies on a mount that forbids executable mappings")                                  \
  X(kWrongArchitecture, "wrong-architecture", "built for another machine, class or byte order")                      \
  X(kIsaLevelMissing, "isa-level-missing", "needs a CPU level that this machine (or its OS) does not offer")         \
  X(kForeign, "foreign", "no myops manifest: not a myops library; it can be checked, but is not loaded")             \
  X(kManifestDamaged, "manifest-damaged", "the manifest note is present but is not a valid manifest")                \
  X(kManifestNewer, "manifest-newer", "the manifest has a format that this loader does not know")                    \
  X(kTorchNotFound, "torch-not-found", "no torch is mapped in this process and none was found or named")             \
  X(kTorchVersionMismatch, "torch-version-mismatch", "built for another release of torch")                           \
  X(kTorchTooOld, "torch-too-old", "needs a newer torch than the one present")                                       \
  X(kTorchIsRocm, "torch-is-rocm", "built for a CUDA torch, and the one present is a ROCm build")                    \
  X(kAbiMismatch, "abi-mismatch", "built with another C++ ABI than the torch present")                               \
  X(kDependencyMissing, "dependency-missing", "a needed library is found nowhere the dynamic linker looks")          \
  X(kSymbolMissing, "symbol-missing", "a needed symbol is defined by no library in its scope")                       \
  X(kSymbolVersionMissing, "symbol-version-missing", "a needed symbol version is absent from the library found")     \
  X(kCudaNotInTorch, "cuda-not-in-torch", "a CUDA library, and the torch present is built without CUDA")             \
  X(kCudaVersionMismatch, "cuda-version-mismatch", "built for another major version of CUDA than the torch present") \
  X(kNoGpu, "no-gpu", "a CUDA library, and no NVIDIA device was found")                                              \
  X(kDriverTooOld, "driver-too-old", "the NVIDIA driver is older than the CUDA runtime needs")                       \
  X(kGpuArchMissing, "gpu-arch-missing", "holds no code for a visible GPU's architecture")                           \
  X(kSchemaMissing, "schema-missing", "the library that defines the operators is absent or was refused")             \
  X(kSchemaMismatch, "schema-mismatch", "made against other operator schemas than those present")                    \
  X(kSignatureMismatch, "signature-mismatch", "the C++ signature of a kernel differs from its operator's")           \
  X(kUnstamped, "unstamped", "the manifest note is reserved but was never written")                                  \
  X(kInplaceOrViewMissing, "inplace-or-view-missing", "a backend mutates or views, and no ADInplaceOrView library")  \
  X(kTorchCudaNotLoaded, "torch-cuda-not-loaded", "libtorch_cuda is not in this process")                            \
  X(kNamespaceTaken, "namespace-taken", "the operator namespace is already defined by someone else")                 \
  X(kOperatorConflict, "operator-conflict", "two libraries define the same operator")                                \
  X(kKernelConflict, "kernel-conflict", "two libraries hold a kernel for the same operator and dispatch key")        \
  X(kNotQuiescent, "not-quiescent", "would replace a stand-in for a missing kernel while operators may be running")  \
  X(kDuplicate, "duplicate", "the same file, or a copy of it, was already taken")                                    \
  X(kSuperseded, "superseded", "a better variant of the same library was taken")                                     \
  X(kDisabled, "disabled", "switched off by `disable` or MYOPS_DISABLE")                                             \
  X(kMixedRelease, "mixed-release", "from another release than the rest of its set")                                 \
  X(kWorldWritable, "world-writable", "the file or a folder on the way can be written by anyone")                    \
  X(kUntrusted, "untrusted",                                                                                         \
    "strict trust, and the file or a folder on the way can be written by its group or belongs to someone else")      \
  X(kNotInLock, "not-in-lock", "the lock file does not list this library")                                           \
  X(kHashMismatch, "hash-mismatch", "the content differs from what the lock file states")                            \
  X(kChangedWhileLoading, "changed-while-loading", "the file is not the one that was judged")                        \
  X(kOpenFailed, "open-failed", "the dynamic linker refused the file; `found` has its text")                         \
  X(kKernelNotRegistered, "kernel-not-registered",                                                                   \
    "opened, but a promised operator or kernel is not in the dispatcher")                                            \
  X(kKeyNotServed, "key-not-served", "a required dispatch key is served by no library that can be loaded")           \
  X(kBadOption, "bad-option", "an option, or a file named in one, is not what it should be")                         \
  X(kInternalError, "internal-error", "the loader itself failed: it ran out of memory, or has a defect")

enum class Code {
#define X(enumerator, token, meaning) enumerator,
  MYOPS_REASON_CODES(X)
#undef X
};

// The token of a code, e.g. "torch-version-mismatch".
std::string_view token(Code code);
// When the code occurs, in one sentence.
std::string_view meaning(Code code);
// Does a healthy machine show it too? Parts for other hardware, other variants, files that are not ours or not wanted.
bool is_harmless(Code code);
// May it be passed over on request (MYOPS_SKIP_CHECK)? Doubts about what a sound file was built for, needs, or who
// wrote it: where they are right the process can end. Not: damage, what decides between two libraries, nor a lock.
bool is_skippable(Code code);
// All codes, in the order of the list above.
std::span<const Code> all_codes();
std::optional<Code> code_from_token(std::string_view token);

// One fault. `subject` is what is at fault (a library, a symbol, a field); `expected` is what the file needs or a valid
// value, `found` what is there instead: facts, not sentences. `hint` says what to do. Any of the last four may be
// empty. docs/reasons.md says what each code puts into them.
struct Reason {
  Code code;
  std::string subject;
  std::string expected;
  std::string found;
  std::string hint;

  friend bool operator==(const Reason&, const Reason&) = default;
};

// One line for a person: "torch-version-mismatch: built for torch 2.11.0, this is 2.15.0; rebuild it for torch 2.15 or
// …". Control characters in the fields (a file may be named anything) are shown as \xNN.
std::string to_text(const Reason& reason);

// A function that cannot answer. (A rejected library is no such failure: that is data, a Reason inside a Verdict.)
template <class T>
using Result = boost::system::result<T, Reason>;

// Boost asks for this overload by argument-dependent look-up: what Result<T>::value() throws.
[[noreturn]] inline void throw_exception_from_error(const Reason& reason, const boost::source_location&) {
  throw std::runtime_error(to_text(reason));
}

}  // namespace myops

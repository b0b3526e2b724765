#include <string>

#include "loader/rules/checks.h"
#include "loader/rules/listing.h"
#include "loader/rules/version.h"

namespace myops::rules {
namespace {

bool is_of_torch(std::string_view library) { return library.starts_with("libtorch") || library.starts_with("libc10"); }

// How to come by a part of torch: the way out depends on which torch the file was built for, where it says so.
std::string torch_hint(const Question& question) {
  const auto& manifest = question.evidence.manifest;
  if (!question.torch) return manifest ? "install torch " + manifest->torch.version : "install torch";
  const TorchFacts& torch = *question.torch;
  const std::string rebuild = "rebuild it for torch " + (torch.minor().empty() ? torch.version : torch.minor());
  if (!manifest) return "it was built for another torch than " + torch.version + ": " + rebuild;
  return "built for torch " + manifest->torch.version + ", this is " + torch.version + ": " + rebuild;
}

// Where the name of a function of torch has a std::string of the C++ ABI that torch does not have; "" otherwise. As
// demangled, that of old has its short name and that of new an inner namespace.
std::string other_abi_hint(const std::string& demangled, const TorchFacts& torch) {
  const bool is_new = demangled.find("std::__cxx11::") != std::string::npos;
  const bool is_old = !is_new && demangled.find("std::string") != std::string::npos;
  if ((is_old && torch.cxx11_abi == "new") || (is_new && torch.cxx11_abi == "old")) {
    return "it was built with the " + std::string(is_old ? "old" : "new") + " C++ ABI, this torch has the " +
           torch.cxx11_abi + " one: rebuild it with _GLIBCXX_USE_CXX11_ABI=" + (is_old ? "1" : "0");
  }
  return "";
}

Reason missing_library(const Question& question, const link::Missing& missing) {
  const CandidateFile& file = question.evidence.file;
  const bool is_own = missing.needed_by == file.path || missing.needed_by == file.real_path;
  std::string found = missing.found.empty() ? joined(missing.searched) : missing.found;
  if (!missing.passed_over.empty()) found += "; passed over: " + joined(missing.passed_over);
  std::string hint = is_of_torch(missing.name) ? torch_hint(question) : "install " + missing.name;
  if (!missing.passed_over.empty()) hint += ", or mend what was passed over";
  if (!missing.found.empty() && missing.searched.empty()) hint = "rebuild the file";
  if (!missing.found.empty() && !missing.searched.empty())
    hint = "put a sound " + missing.name + " in place of that file";
  return {Code::kDependencyMissing, missing.name, is_own ? "" : missing.needed_by, found, hint};
}

Reason missing_symbol(const Question& question, const link::Missing& missing) {
  const bool of_torch = is_of_torch(missing.expected_in);
  std::string found = missing.found;
  if (found.empty() && of_torch && question.torch) found = "torch " + question.torch->version;
  std::string hint = of_torch ? torch_hint(question) : "rebuild it against the libraries of this machine";
  if (of_torch && question.torch) {
    if (auto other_abi = other_abi_hint(missing.demangled, *question.torch); !other_abi.empty()) hint = other_abi;
  }
  return {Code::kSymbolMissing, missing.demangled.empty() ? missing.name : missing.demangled, missing.expected_in,
          found, hint};
}

Reason missing_version(const Question& question, const link::Missing& missing) {
  std::string found = missing.found;
  if (found.empty() && missing.name.starts_with("GLIBC_")) found = question.host.libc;
  const std::string library = missing.expected_in.empty() ? "the library" : missing.expected_in;
  return {Code::kSymbolVersionMissing, missing.name, missing.expected_in, found,
          "install a newer " + library + ", or build the file on an older system"};
}

Reason reason_for(const Question& question, const link::Missing& missing) {
  switch (missing.kind) {
    case link::MissingKind::kLibrary:
      return missing_library(question, missing);
    case link::MissingKind::kSymbol:
      return missing_symbol(question, missing);
    case link::MissingKind::kVersion:
    case link::MissingKind::kUnknown:
      break;
  }
  return missing_version(question, missing);
}

}  // namespace

void check_dependencies(const Question& question, Judgement& judgement) {
  for (const link::Missing& missing : question.evidence.missing) {
    if (missing.kind == link::MissingKind::kUnknown) {
      judgement.notes.push_back("needs so many files from so many folders that not all were looked for: from " +
                                missing.name + " on it is not known whether they are there");
      judgement.unproven = true;
      continue;
    }
    judgement.reasons.push_back(reason_for(question, missing));
    judgement.cannot_open = true;
  }
}

}  // namespace myops::rules

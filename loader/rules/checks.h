// The families of checks that judge() asks about one file. Each adds every fault it can prove and every doubt it has;
// none stops the others. Pure.
//
// To add a check: a function here, a file of its own beside a test, a line in judge.cpp.
#pragma once

#include <string>
#include <vector>

#include "loader/rules/verdict.h"

namespace myops::rules {

// What a check is asked about.
struct Question {
  const Evidence& evidence;
  const HostFacts& host;
  const TorchFacts* torch;  // nullptr: none was found
  const Request& request;
};

// Where it puts its answer.
struct Judgement {
  std::vector<Reason> reasons;     // against loading the file
  std::vector<std::string> notes;  // doubts
  bool unproven = false;           // what dlopen would say cannot be told: not all of it was read
  bool cannot_open = false;        // one of the reasons makes dlopen itself fail
};

// identity_checks.cpp: is it a library for this machine, and can it be read and mapped?
void check_identity(const Question& question, Judgement& judgement);
// Is the file's machine, class and byte order this machine's? False where nothing is known of the file.
bool is_for_this_machine(const Evidence& evidence, const HostFacts& host);

// cpu_checks.cpp: does the CPU offer the instructions it was compiled for?
void check_cpu_level(const Question& question, Judgement& judgement);
// The level it needs: the wider of the manifest's and the ELF property; "" where neither says.
std::string needed_cpu_level(const Evidence& evidence);

// manifest_checks.cpp: is there a valid manifest?
void check_manifest(const Question& question, Judgement& judgement);

// torch_checks.cpp: was it built for this torch?
void check_torch(const Question& question, Judgement& judgement);

// cuda_checks.cpp: for CUDA libraries, is there a GPU, a driver and a torch that can run it?
void check_cuda(const Question& question, Judgement& judgement);

// dependency_checks.cpp: would the dynamic linker find all it needs?
void check_dependencies(const Question& question, Judgement& judgement);

// lock_checks.cpp: is it what the lock file says, where there is one?
void check_lock(const Question& question, Judgement& judgement);

// trust_checks.cpp: who else could have written it?
void check_trust(const Question& question, Judgement& judgement);

}  // namespace myops::rules

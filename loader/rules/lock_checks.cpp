#include "loader/rules/checks.h"
#include "loader/rules/lock.h"

namespace myops::rules {

void check_lock(const Question& question, Judgement& judgement) {
  // What is nobody's plugin is not taken in any case.
  if (!question.request.lock || (!question.evidence.manifest && !question.evidence.manifest_error)) return;
  const Lock& lock = *question.request.lock;
  const CandidateFile& file = question.evidence.file;
  const auto locked = lock.files.find(file.real_path);
  if (locked == lock.files.end()) {
    judgement.reasons.push_back(
        {Code::kNotInLock, file.real_path, lock.path, "", "run `myops lock` again where the set is meant to have it"});
  } else if (question.evidence.sha256 != locked->second.sha256) {
    const std::string found = question.evidence.sha256.empty() ? "not read" : question.evidence.sha256;
    judgement.reasons.push_back({Code::kHashMismatch, file.real_path, locked->second.sha256, found,
                                 "install the file again, or run `myops lock` where the change is meant"});
  }
}

}  // namespace myops::rules

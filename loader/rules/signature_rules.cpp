#include <map>

#include "loader/rules/cpp_signature.h"
#include "loader/rules/plan_rules.h"

namespace myops::rules {
namespace {

constexpr const char* kHint = "let the kernel take what the operator's typed caller passes, and rebuild";

// Torch compares each unboxed kernel of an operator with the first it saw, whatever their keys, plain and SymInt forms
// apart (OperatorEntry::registerKernel); and the first with the schema (infer_schema.h).
class SignatureCheck {
 public:
  using LookUp = const PlanDraft::Signature* (PlanDraft::*)(std::string_view) const;

  SignatureCheck(const PlanDraft& draft, LookUp look_up) : draft_(draft), look_up_(look_up) {}

  void check(const std::string& op, const std::string& key, const std::string& signature, std::vector<Reason>& faults) {
    if (signature.empty()) return;
    const PlanDraft::Signature* first = (draft_.*look_up_)(op);
    // Compared with the schema when it was taken, or by torch itself.
    if (first && first->text == signature) return;
    const auto* definition = draft_.definition(op);
    if (definition && !signature_fits_schema(signature, definition->schema)) {
      faults.push_back({Code::kSignatureMismatch, op, std::string(definition->schema), signature, kHint});
      return;
    }
    const bool is_first_here = !first;
    if (!first) first = &own_.emplace(op, PlanDraft::Signature{signature, key}).first->second;
    if (first->text == signature) return;
    const std::string where = is_first_here ? std::string(first->key) + " in the same file" : where_of(*first);
    faults.push_back({Code::kSignatureMismatch, op + " on " + key + " against " + where, std::string(first->text),
                      signature, kHint});
  }

 private:
  std::string where_of(const PlanDraft::Signature& signature) const {
    if (!signature.file) return "the dispatcher";
    return std::string(signature.key) + " in " + draft_.files()[*signature.file].file.path;
  }

  const PlanDraft& draft_;
  LookUp look_up_;
  std::map<std::string_view, PlanDraft::Signature> own_;
};

}  // namespace

std::vector<Reason> signature_faults(const PlanDraft& draft, const Manifest& manifest) {
  std::vector<Reason> faults;
  SignatureCheck plain(draft, &PlanDraft::signature);
  SignatureCheck symint(draft, &PlanDraft::signature_symint);
  for (const auto& [key, operators] : manifest.kernels) {
    for (const auto& [op, record] : operators) {
      plain.check(op, key, record.cpp, faults);
      symint.check(op, key, record.cpp_symint, faults);
    }
  }
  return faults;
}

}  // namespace myops::rules

// A plan while it is being made: which files are taken and which refused, and what the dispatcher would hold with those
// taken on top of what it holds before. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/rules/plan.h"

namespace myops::rules {

using Refusals = std::map<std::size_t, std::vector<Reason>>;  // file → why it is not taken

class PlanDraft {
 public:
  struct Definition {
    std::string_view schema;          // without the namespace
    std::optional<std::size_t> file;  // none: the dispatcher holds it
  };
  // A C++ signature that torch holds later kernels of the operator to.
  struct Signature {
    std::string_view text;
    std::string_view key{};             // that it is registered on
    std::optional<std::size_t> file{};  // none: the dispatcher holds it
  };

  // Both must outlive the draft, which keeps views of their texts.
  PlanDraft(const std::vector<Verdict>& files, const DispatcherState& before);

  // Takes a file: first its definitions, later its kernels. Refuses one: its definitions, if taken, stay in this draft.
  void take_definitions(std::size_t file);
  void take_kernels(std::size_t file);
  void refuse(std::size_t file, std::vector<Reason> reasons) { refusals_[file] = std::move(reasons); }

  const std::vector<Verdict>& files() const { return files_; }
  const DispatcherState& before() const { return before_; }
  const std::vector<std::size_t>& taken() const { return taken_; }  // whose kernels are taken, in order
  const Refusals& refusals() const { return refusals_; }
  // What a rule had against a file that is taken all the same, as notes.
  void skip(std::size_t file, const std::vector<std::string>& notes) {
    skipped_[file].insert(skipped_[file].end(), notes.begin(), notes.end());
  }
  const std::map<std::size_t, std::vector<std::string>>& skipped() const { return skipped_; }
  bool is_refused(std::size_t file) const { return refusals_.contains(file); }
  bool defines(std::size_t file) const { return definers_.contains(file); }
  // All that is held against a file that is not taken: its verdict's reasons and this draft's.
  std::vector<Reason> reasons_against(std::size_t file) const;

  const Definition* definition(std::string_view op) const;
  const std::map<std::string_view, Definition>& definitions() const {
    return definitions_;
  }  // of taken files, and before
  // Every candidate that defines the operator, taken or not.
  const std::vector<std::size_t>& definers_of(std::string_view op) const;
  // The taken library with the TORCH_LIBRARY block of the namespace.
  std::optional<std::size_t> namespace_holder(std::string_view op_namespace) const;
  // The taken library of the same namespace and name.
  std::optional<std::size_t> variant_of(const Manifest& manifest) const;
  // The taken schema library of a set.
  std::optional<std::size_t> schema_of_set(std::string_view set) const;
  std::optional<std::size_t> kernel_holder(std::string_view op, std::string_view key) const;
  std::optional<std::size_t> fallback_holder(std::string_view key) const;
  const Signature* signature(std::string_view op) const;
  const Signature* signature_symint(std::string_view op) const;

  // Operators with kernels in taken files, each with all keys on which it has one, the dispatcher's included.
  const std::map<std::string_view, std::set<std::string_view>>& keys_of_operators() const { return keys_of_; }
  // A library without a manifest is taken: what it defines and registers is not known.
  bool has_unknown_content() const { return has_unknown_content_; }

 private:
  void take_kernel(std::size_t file, std::string_view op, std::string_view key, const KernelRecord& record);

  const std::vector<Verdict>& files_;
  const DispatcherState& before_;
  Refusals refusals_;
  std::map<std::size_t, std::vector<std::string>> skipped_;
  std::vector<std::size_t> taken_;
  std::set<std::size_t> definers_;
  std::map<std::string_view, Definition> definitions_;
  std::map<std::string_view, std::vector<std::size_t>> all_definers_;
  std::map<std::string_view, std::size_t> namespaces_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> variants_;  // {namespace, name}
  std::map<std::string_view, std::size_t> sets_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> kernels_;  // {operator, key}
  std::map<std::string_view, std::size_t> fallbacks_;
  std::map<std::string_view, Signature> signatures_;
  std::map<std::string_view, Signature> signatures_symint_;
  std::map<std::string_view, std::set<std::string_view>> keys_of_;
  bool has_unknown_content_ = false;
};

}  // namespace myops::rules

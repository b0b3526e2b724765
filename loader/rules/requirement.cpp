#include <algorithm>
#include <set>

#include "loader/rules/dispatch_keys.h"
#include "loader/rules/listing.h"
#include "loader/rules/plan_rules.h"

namespace myops::rules {
namespace {

bool is_taken(const PlanDraft& draft, std::size_t file) {
  return std::find(draft.taken().begin(), draft.taken().end(), file) != draft.taken().end();
}

std::string codes_text(const std::vector<Reason>& reasons) {
  std::vector<std::string> tokens;
  for (const Reason& reason : reasons) {
    const std::string text(token(reason.code));
    if (std::find(tokens.begin(), tokens.end(), text) == tokens.end()) tokens.push_back(text);
  }
  return joined(tokens);
}

// Candidates that would help and are not taken. A superseded one stands behind another that is in the list itself.
std::vector<std::size_t> refused_files(const PlanDraft& draft, const std::function<bool(const Manifest&)>& would_help) {
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < draft.files().size(); ++file) {
    const Verdict& verdict = draft.files()[file];
    if (!verdict.manifest || verdict.kind == VerdictKind::kSuperseded || is_taken(draft, file)) continue;
    if (would_help(*verdict.manifest)) files.push_back(file);
  }
  return files;
}

// The sentence of a reason, for where its code stands beside it.
std::string without_code(const Reason& reason) {
  const std::string text = to_text(reason);
  return text.substr(std::min(token(reason.code).size() + 2, text.size()));
}

// Why these files are not taken, each cause once: variants of a library tend to share it.
std::string causes_text(const PlanDraft& draft, const std::vector<std::size_t>& files) {
  std::vector<std::string> causes;
  for (const std::size_t file : files) {
    const auto reasons = draft.reasons_against(file);
    if (reasons.empty()) continue;
    const std::string cause = without_code(reasons.front());
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
  }
  return joined(causes, "; ");
}

using Wanted = std::function<bool(const Manifest&)>;

Reason not_served(const PlanDraft& draft, const std::string& key, const std::string& whose, const Wanted& would_help) {
  const auto files = refused_files(draft, would_help);
  if (!files.empty()) {
    return {Code::kKeyNotServed, key, whose, joined(refused_candidates(draft, would_help)), causes_text(draft, files)};
  }
  const std::string meant = key_meant_by(key);
  return {Code::kKeyNotServed, key, whose, "no library found has kernels on it",
          meant.empty() ? "install the part that has, or add its folder to the search path"
                        : "did you mean " + meant + "?"};
}

bool defines_any(const PlanDraft& draft, const Manifest& manifest) {
  return std::any_of(manifest.kernels.begin(), manifest.kernels.end(), [&](const auto& of_key) {
    return std::any_of(of_key.second.begin(), of_key.second.end(),
                       [&](const auto& kernel) { return draft.definition(kernel.first) != nullptr; });
  });
}

// Sets whose operators are defined, and whose library for the key was found and is not taken. One that was switched off
// is not missed.
std::set<std::string> sets_without(const PlanDraft& draft, const std::string& key) {
  std::set<std::string> sets;
  for (const std::size_t file : refused_files(draft, [&](const Manifest& manifest) { return serves(manifest, key); })) {
    const Verdict& verdict = draft.files()[file];
    const Manifest& manifest = *verdict.manifest;
    const bool is_used = draft.schema_of_set(manifest.set) || defines_any(draft, manifest);
    if (is_used && verdict.kind != VerdictKind::kDisabled) sets.insert(manifest.set);
  }
  return sets;
}

// Adds what is missing of one key. Another set's library is no help to a set that was to bring its own.
void add_unserved(const PlanDraft& draft, const std::string& key, std::vector<Reason>& missing) {
  const auto serves_key = [&](const Manifest& manifest) { return serves(manifest, key); };
  std::set<std::string> served;
  for (const std::size_t file : draft.taken()) {
    const auto& manifest = draft.files()[file].manifest;
    if (manifest && serves_key(*manifest)) served.insert(manifest->set);
  }
  if (served.empty()) {
    missing.push_back(not_served(draft, key, "", serves_key));
    return;
  }
  for (const std::string& set : sets_without(draft, key)) {
    if (served.contains(set)) continue;
    missing.push_back(not_served(
        draft, key, set, [&](const Manifest& manifest) { return manifest.set == set && serves_key(manifest); }));
  }
}

}  // namespace

bool serves(const Manifest& manifest, const std::string& key) {
  const auto covers = [&](const std::string& held) { return key_covers(held, key); };
  return manifest.has_key(covers) || std::any_of(manifest.fallbacks.begin(), manifest.fallbacks.end(), covers);
}

std::vector<std::string> refused_candidates(const PlanDraft& draft,
                                            const std::function<bool(const Manifest&)>& would_help) {
  std::vector<std::string> texts;
  for (const std::size_t file : refused_files(draft, would_help)) {
    const std::string codes = codes_text(draft.reasons_against(file));
    texts.push_back(draft.files()[file].file.path + (codes.empty() ? "" : " (" + codes + ")"));
  }
  return texts;
}

std::vector<Reason> unserved(const PlanDraft& draft, const std::vector<std::string>& required) {
  std::vector<Reason> missing;
  std::set<std::string> asked;
  for (const std::string& key : required) {
    if (asked.insert(key).second) add_unserved(draft, key, missing);
  }
  return missing;
}

}  // namespace myops::rules

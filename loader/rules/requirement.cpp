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

Reason not_served(const PlanDraft& draft, const std::string& key) {
  const auto would_help = [&](const Manifest& manifest) { return serves(manifest, key); };
  const auto files = refused_files(draft, would_help);
  if (files.empty()) {
    return {Code::kKeyNotServed, key, "", "no library found has kernels on it",
            "install the part that has, or add its folder to the search path"};
  }
  std::vector<std::string> why;
  for (const std::size_t file : files) {
    const auto reasons = draft.reasons_against(file);
    if (!reasons.empty()) why.push_back(draft.files()[file].name + " was refused: " + to_text(reasons.front()));
  }
  return {Code::kKeyNotServed, key, "", joined(refused_candidates(draft, would_help)), joined(why, "; ")};
}

}  // namespace

bool serves(const Manifest& manifest, const std::string& key) {
  const auto covers = [&](const std::string& held) { return key_covers(held, key); };
  const auto keys = manifest.keys();
  return std::any_of(keys.begin(), keys.end(), covers) ||
         std::any_of(manifest.fallbacks.begin(), manifest.fallbacks.end(), covers);
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
    if (!asked.insert(key).second) continue;
    const bool served = std::any_of(draft.taken().begin(), draft.taken().end(), [&](std::size_t file) {
      const auto& manifest = draft.files()[file].manifest;
      return manifest && serves(*manifest, key);
    });
    if (!served) missing.push_back(not_served(draft, key));
  }
  return missing;
}

}  // namespace myops::rules

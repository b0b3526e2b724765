#include "loader/system/bridge.h"

#include <boost/dll/shared_library.hpp>
#include <filesystem>
#include <optional>

#include "loader/bridge/bridge_c.h"
#include "loader/rules/listing.h"
#include "loader/rules/verdict.h"
#include "loader/system/bridge_exchange.h"
#include "loader/system/candidate.h"
#include "loader/system/evidence.h"
#include "loader/system/folders.h"
#include "loader/system/host.h"
#include "loader/system/open.h"
#include "loader/system/turn.h"

namespace myops::system {
namespace {

// The functions of an opened bridge.
struct Bridge {
  std::string path;
  decltype(&myops_bridge_snapshot) snapshot = nullptr;
  decltype(&myops_bridge_stand_in) stand_in = nullptr;
  decltype(&myops_bridge_stand_aside) stand_aside = nullptr;
};

Reason unfit(const std::string& path, std::string found) {
  return {.code = Code::kOpenFailed,
          .subject = path,
          .expected = "bridge interface " + std::to_string(MYOPS_BRIDGE_ABI),
          .found = std::move(found),
          .hint = "reinstall myops: loader and bridge come from one build"};
}

rules::Verdict judged(const std::string& path, const rules::Request& trust, Examiner& examiner) {
  // What else a request has, names of libraries to leave out say, is not about the bridge.
  rules::Request request;
  request.strict = trust.strict;
  request.user_id = trust.user_id;
  request.lock = trust.lock;
  return rules::judge(examiner.examine(candidate_at(path)), examiner.host(), examiner.torch(), request);
}

// The reasons against the file, as against any plugin; the first stands for all, and names the bridge.
std::optional<Reason> refusal(const std::string& path, const rules::Verdict& verdict) {
  if (verdict.kind == rules::VerdictKind::kUsable) return changed_since(verdict.file);
  if (verdict.reasons.empty()) return unfit(path, std::string(rules::to_text(verdict.kind)));
  auto reason = verdict.reasons.front();
  reason.subject = reason.subject.empty() || reason.subject == path ? path : path + ": " + reason.subject;
  return reason;
}

Result<Bridge> bind(const std::string& path) {
  if (auto failed = open_library(path)) return *failed;
  try {
    // Opened already and for ever: this only counts up, and gives access to its functions.
    const boost::dll::shared_library library(path, boost::dll::load_mode::rtld_now);
    const int abi = library.get<int()>("myops_bridge_abi")();
    if (abi != MYOPS_BRIDGE_ABI) return unfit(path, "bridge interface " + std::to_string(abi));
    return Bridge{.path = path,
                  .snapshot = &library.get<decltype(myops_bridge_snapshot)>("myops_bridge_snapshot"),
                  .stand_in = &library.get<decltype(myops_bridge_stand_in)>("myops_bridge_stand_in"),
                  .stand_aside = &library.get<decltype(myops_bridge_stand_aside)>("myops_bridge_stand_aside")};
  } catch (const std::exception& error) {
    return unfit(path, error.what());
  }
}

Result<Bridge> open_bridge(const rules::TorchFacts& torch, const rules::Request& trust, Examiner* around) {
  if (!torch.mapped) {
    return Reason{Code::kTorchNotFound, "this process", "a torch to ask", "no torch", "import or open torch first"};
  }
  const auto path = find_bridge(torch);
  if (!path) return path.error();
  const auto verdict = around ? judged(*path, trust, *around) : [&] {
    Examiner own(read_host(), torch, false, false, trust.lock);
    return judged(*path, trust, own);
  }();
  if (auto reason = refusal(*path, verdict)) return *reason;
  return bind(verdict.file.real_path);
}

// A process has one torch, so it has one bridge; only success is kept.
Result<Bridge> the_bridge(const rules::TorchFacts& torch, const rules::Request& trust, Examiner* around) {
  // Never destroyed: another thread, or a destructor at exit, may still ask. Whoever asks has a Turn.
  static auto* const opened = new std::optional<Bridge>;
  if (*opened) return **opened;
  auto bridge = open_bridge(torch, trust, around);
  if (bridge) *opened = *bridge;
  return bridge;
}

std::optional<Reason> change_stand_ins(const rules::TorchFacts& torch, decltype(&myops_bridge_stand_in) Bridge::* how,
                                       const std::vector<rules::AbsentKernel>& places, const rules::Request& trust) {
  const Turn turn;
  const auto bridge = the_bridge(torch, trust, nullptr);
  if (!bridge) return bridge.error();
  const auto table = absences_of(places);
  Told told;
  ((*bridge).*how)(table.data(), table.size(), &Told::tell, &told);
  return told.error(bridge->path);
}

std::vector<std::string> bridge_folders() {
  const auto& own = loader_folder();
  if (own.empty()) return {};
  // Beside the loader library; and for a program that holds the loader itself, in the library folder beside its own.
  const auto beside = std::filesystem::path(own) / ".." / MYOPS_LIBRARY_FOLDER / "myops/bridge";
  std::vector<std::string> folders = {own + "/myops/bridge", beside.lexically_normal().string()};
  if (folders[0] == folders[1]) folders.pop_back();
  return folders;
}

}  // namespace

Result<std::string> find_bridge(const rules::TorchFacts& torch) {
  const auto folders = bridge_folders();
  for (const auto& folder : folders) {
    auto path = folder + "/torch-" + torch.minor() + "/libmyops_bridge.so";
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path;
  }
  return Reason{.code = Code::kDependencyMissing,
                .subject = "libmyops_bridge.so",
                .expected = "",  // nobody names it
                .found = rules::joined(folders),
                .hint = "install a myops that is built for torch " + torch.minor()};
}

std::vector<std::string> all_bridges() {
  std::vector<std::string> paths;
  for (const auto& folder : bridge_folders()) {
    std::error_code error;
    for (std::filesystem::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
      std::error_code none;
      const auto path = std::filesystem::canonical(item->path() / "libmyops_bridge.so", none);
      if (!none) paths.push_back(path.string());
    }
  }
  return paths;
}

Result<rules::DispatcherState> snapshot(const rules::TorchFacts& torch, const SnapshotRequest& request,
                                        const rules::Request& trust, Examiner* around) {
  const Turn turn;
  const auto bridge = the_bridge(torch, trust, around);
  if (!bridge) return bridge.error();
  const auto questions = questions_of(request);
  Told told;
  bridge->snapshot(questions.data(), questions.size(), &Told::tell, &told);
  return told.take(bridge->path);
}

std::optional<Reason> stand_in(const rules::TorchFacts& torch, const std::vector<rules::AbsentKernel>& absent,
                               const rules::Request& trust) {
  return change_stand_ins(torch, &Bridge::stand_in, absent, trust);
}

std::optional<Reason> stand_aside(const rules::TorchFacts& torch, const std::vector<rules::AbsentKernel>& places,
                                  const rules::Request& trust) {
  return change_stand_ins(torch, &Bridge::stand_aside, places, trust);
}

}  // namespace myops::system

// Every kind of machine against every set of libraries: the plan, compared with a brute-force oracle that knows none of
// the loader's rules. The oracle decides library by library, from numbers.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "loader/rules/report.h"
#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

// ---- the machines

const std::vector<std::string> kLevels = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

struct Card {
  std::string name;
  int capability;  // ten times: 75 is 7.5; 0: not known
};

// None; one of each capability; mixed ones; one whose capability nobody asked for.
std::vector<std::vector<Card>> card_sets() {
  std::vector<std::vector<Card>> sets = {{}};
  for (const int capability : {50, 60, 61, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    sets.push_back({{"NVIDIA Card", capability}});
  }
  sets.push_back({{"NVIDIA GeForce", 89}});
  sets.push_back({{"NVIDIA Card", 80}, {"NVIDIA Card", 90}});
  sets.push_back({{"NVIDIA Card", 70}, {"NVIDIA Card", 90}});
  sets.push_back({{"NVIDIA GeForce", 75}, {"NVIDIA GeForce", 120}});
  sets.push_back({{"NVIDIA GPU", 0}});
  sets.push_back({{"NVIDIA GPU", 0}, {"NVIDIA Card", 50}});
  return sets;
}

// None (a stub libcuda is none: only the kernel driver's version counts), too old for CUDA 12 and 13, for 13, fine.
const std::vector<std::string> kDrivers = {"", "470.82.01", "535.129.03", "580.65.06"};

// CPU-only, CUDA 12 and 13, ROCm.
struct Flavour {
  std::string version, cuda, hip;
};
const std::vector<Flavour> kFlavours = {
    {"2.15.0", "", ""}, {"2.15.0", "12.8", ""}, {"2.15.0", "13.2", ""}, {"2.15.0", "", "6.3"}, {"2.11.0", "13.0", ""}};

// ---- the libraries

struct Library {
  std::string name;
  std::string level;     // CPU variants
  int cuda = 0;          // major version of the runtime of CUDA libraries
  std::vector<int> sm;   // machine code
  std::vector<int> ptx;  // code that a driver translates
  std::string torch = "2.15.0";
};

const Library kSchema = {"myops_schema", "x86-64"};
const Library kAutograd = {"myops_autograd", "x86-64"};
const Library kPlain = {"myops_cpu", "x86-64"};
const Library kV3 = {"myops_cpu", "x86-64-v3"};
const Library kV4 = {"myops_cpu", "x86-64-v4"};
const Library kCuda13 = {"myops_cuda", "x86-64", 13, {75, 80, 86, 90, 100, 120}, {120}};
const Library kCuda12 = {"myops_cuda", "x86-64", 12, {70, 80}, {80}};
const Library kOnlyHopper = {"myops_cuda", "x86-64", 13, {90}, {}};
const Library kForOtherTorch = {"myops_cpu", "x86-64", 0, {}, {}, "2.11.0"};

const std::vector<std::vector<Library>> kSets = {
    {kSchema, kPlain},          {kSchema, kPlain, kV3, kV4, kAutograd},    {kSchema, kV4},
    {kSchema, kPlain, kCuda13}, {kSchema, kPlain, kV3, kCuda12},           {kSchema, kOnlyHopper, kV3},
    {kPlain, kCuda13},          {kSchema, kForOtherTorch, kV3, kAutograd}, {kSchema, kPlain, kCuda12, kCuda13}};

// ---- the oracle

int rank_of(const std::string& level) {
  return static_cast<int>(std::find(kLevels.begin(), kLevels.end(), level) - kLevels.begin());
}

bool runs_on_card(const Library& library, const Card& card) {
  if (card.capability == 0) return true;  // a doubt, no proof
  for (const int code : library.sm) {
    if (code / 10 == card.capability / 10 && code <= card.capability) return true;
  }
  return std::any_of(library.ptx.begin(), library.ptx.end(), [&](int code) { return code <= card.capability; });
}

bool driver_is_new_enough(int cuda, const std::string& driver, const std::vector<Card>& cards) {
  if (driver.empty()) return true;
  const int least = cuda == 13 ? 580 : 525;
  if (std::stoi(driver) >= least) return true;
  // cuda-compat, for all but GeForce
  return std::any_of(cards.begin(), cards.end(), [](const Card& card) { return card.name != "NVIDIA GeForce"; });
}

bool is_possible(const Library& library, const std::string& level, const std::vector<Card>& cards,
                 const std::string& driver, const Flavour& torch) {
  if (library.torch.substr(0, 4) != torch.version.substr(0, 4)) return false;
  if (rank_of(library.level) > rank_of(level)) return false;
  if (library.cuda == 0) return true;
  return !cards.empty() && !torch.cuda.empty() && std::stoi(torch.cuda) == library.cuda &&
         driver_is_new_enough(library.cuda, driver, cards) &&
         std::all_of(cards.begin(), cards.end(), [&](const Card& card) { return runs_on_card(library, card); });
}

// "myops_cpu x86-64-v3" of each that is to be loaded.
std::set<std::string> expected(const std::vector<Library>& set, const std::string& level,
                               const std::vector<Card>& cards, const std::string& driver, const Flavour& torch) {
  std::set<std::string> loaded;
  const bool has_schema = std::any_of(set.begin(), set.end(), [&](const Library& library) {
    return library.name == kSchema.name && is_possible(library, level, cards, driver, torch);
  });
  if (!has_schema) return loaded;
  for (const Library& library : set) {
    if (!is_possible(library, level, cards, driver, torch)) continue;
    const bool is_beaten = std::any_of(set.begin(), set.end(), [&](const Library& other) {
      return other.name == library.name && rank_of(other.level) > rank_of(library.level) &&
             is_possible(other, level, cards, driver, torch);
    });
    if (!is_beaten) loaded.insert(library.name + " " + library.level);
  }
  return loaded;
}

// ---- what the loader says

Manifest manifest_of(const Library& library) {
  Manifest manifest = library.name == kSchema.name ? samples::schema_manifest()
                      : library.name == kAutograd.name
                          ? samples::scale_manifest(library.name, {"Autograd"})
                          : samples::scale_manifest(library.name, {library.cuda == 0 ? "CPU" : "CUDA"});
  manifest.cpu.level = library.level;
  manifest.torch.version = library.torch;
  if (library.cuda != 0) {
    manifest.cuda = Manifest::Cuda{std::to_string(library.cuda) + ".0", {}};
    for (const int code : library.sm) manifest.cuda->code.sm.push_back(std::to_string(code));
    for (const int code : library.ptx) manifest.cuda->code.ptx.push_back(std::to_string(code));
  }
  return manifest;
}

HostFacts host_of(const std::string& level, const std::vector<Card>& cards, const std::string& driver) {
  HostFacts host = samples::host();
  host.cpu_level = level;
  host.driver = driver;
  for (const Card& card : cards) {
    const int ten = card.capability;
    host.gpus.push_back({card.name, ten == 0 ? "" : std::to_string(ten / 10) + "." + std::to_string(ten % 10)});
  }
  // As it comes out of a --host file.
  return *host_from_json(to_json(host));
}

TorchFacts torch_of(const Flavour& flavour) {
  TorchFacts torch = samples::torch();
  torch.version = flavour.version;
  torch.cuda = flavour.cuda;
  torch.hip = flavour.hip;
  return torch;
}

LoadPlan plan_of(const std::vector<Library>& set, const HostFacts& host, const TorchFacts& torch) {
  std::vector<Verdict> verdicts;
  for (const Library& library : set) {
    Evidence evidence = samples::evidence(manifest_of(library));
    evidence.file.path = evidence.file.real_path = "/p/lib" + library.name + "." + library.level + ".so";
    verdicts.push_back(judge(std::move(evidence), host, torch, {}));
  }
  return make_plan(std::move(verdicts), {}, {}, {});
}

std::set<std::string> planned(const LoadPlan& plan) {
  std::set<std::string> names;
  for (const std::size_t file : plan.order) {
    names.insert(plan.files[file].name + " " + plan.files[file].manifest->cpu.level);
  }
  return names;
}

std::string told(const std::string& level, const std::vector<Card>& cards, const std::string& driver,
                 const Flavour& torch, std::size_t set) {
  std::ostringstream text;
  text << level << ", driver \"" << driver << "\", torch " << torch.version << " CUDA \"" << torch.cuda << "\" HIP \""
       << torch.hip << "\", set " << set << ", cards";
  for (const Card& card : cards) text << " " << card.name << " " << card.capability;
  return text.str();
}

TEST(SimulatedMachines, PlanIsWhatTheOracleSays) {
  std::size_t machines = 0, with_cuda = 0;
  for (const std::string& level : kLevels) {
    for (const auto& cards : card_sets()) {
      for (const std::string& driver : kDrivers) {
        for (const Flavour& flavour : kFlavours) {
          for (std::size_t set = 0; set < kSets.size(); ++set) {
            const LoadPlan plan = plan_of(kSets[set], host_of(level, cards, driver), torch_of(flavour));
            const auto names = planned(plan);
            ASSERT_EQ(names, expected(kSets[set], level, cards, driver, flavour))
                << told(level, cards, driver, flavour, set);
            for (const Verdict& verdict : plan.files) {
              ASSERT_EQ(verdict.kind != VerdictKind::kUsable, !verdict.reasons.empty()) << verdict.name;
            }
            ++machines;
            with_cuda += names.contains("myops_cuda x86-64") ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(machines, 10000U);
  EXPECT_GT(with_cuda, 500U) << "else the test tells nothing of GPUs";
}

// What the oracle itself says of machines that everybody knows.
TEST(SimulatedMachines, OracleKnowsTheCommonOnes) {
  const Flavour cuda13 = {"2.15.0", "13.2", ""};
  const std::vector<Library> set = {kSchema, kPlain, kV3, kCuda13};
  using Names = std::set<std::string>;
  const Names laptop = {"myops_schema x86-64", "myops_cpu x86-64-v3"};
  Names server = laptop;
  server.insert("myops_cuda x86-64");
  EXPECT_EQ(expected(set, "x86-64-v3", {}, "", cuda13), laptop);
  EXPECT_EQ(expected(set, "x86-64-v3", {{"H100", 90}}, "580.65.06", cuda13), server);
  EXPECT_EQ(expected(set, "x86-64-v3", {{"V100", 70}}, "580.65.06", cuda13), laptop);
  EXPECT_EQ(expected(set, "x86-64-v3", {{"H100", 90}}, "580.65.06", {"2.15.0", "", ""}), laptop);
}

}  // namespace
}  // namespace myops::rules

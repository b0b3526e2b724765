// HostFacts as JSON, for reports and for the --host file of `myops facts`, and back.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <string_view>

#include "loader/printable.h"
#include "loader/rules/cpu_level.h"
#include "loader/rules/json_fields.h"
#include "loader/rules/report.h"
#include "loader/rules/version.h"

namespace myops::rules {
namespace {

constexpr std::uint64_t kMostPageSize = std::uint64_t{1} << 30;

void read_gpus(const ObjectReader& root, HostFacts& host) {
  const boost::json::array* gpus = root.array("gpus");
  if (!gpus) return;
  for (std::size_t i = 0; i < gpus->size(); ++i) {
    const std::string name = "gpus[" + std::to_string(i) + "]";
    const boost::json::object* json = root.object_of(name, (*gpus)[i]);
    if (!json) return;
    const ObjectReader gpu(*json, root, name);
    host.gpus.push_back({gpu.optional_text("name", kAnyText), gpu.optional_text("capability", kAnyText)});
  }
}

// What is no level of an x86 machine would be taken for one that offers something unknown.
bool is_level_of(const std::string& arch, const std::string& level) {
  return arch != "x86_64" || level.empty() || level_rank(level);
}

}  // namespace

boost::json::object to_json(const HostFacts& host, boost::json::storage_ptr memory) {
  boost::json::array features(memory), gpus(memory);
  for (const std::string& feature : host.cpu_features) features.emplace_back(valid_utf8(feature));
  for (const Gpu& gpu : host.gpus) {
    gpus.push_back({{"name", valid_utf8(gpu.name)}, {"capability", valid_utf8(gpu.capability)}});
  }
  return boost::json::object({{"arch", valid_utf8(host.arch)},
                              {"cpu_name", valid_utf8(host.cpu_name)},
                              {"cpu_level", valid_utf8(host.cpu_level)},
                              {"cpu_features", std::move(features)},
                              {"gpus", std::move(gpus)},
                              {"driver", valid_utf8(host.driver)},
                              {"libc", valid_utf8(host.libc)},
                              {"page_size", host.page_size}},
                             memory);
}

Result<HostFacts> host_from_json(const boost::json::object& json) {
  FirstFault fault(Code::kBadOption);
  const ObjectReader root(json, fault, "host");
  HostFacts host;
  host.arch = root.text("arch", kAnyText);
  host.cpu_name = root.optional_text("cpu_name", kAnyText);
  host.cpu_level = root.text("cpu_level", kAnyText);
  if (!is_level_of(host.arch, host.cpu_level)) {
    fault.set(root.path("cpu_level"), "x86-64, x86-64-v2, x86-64-v3 or x86-64-v4", "\"" + host.cpu_level + "\"");
  }
  host.cpu_features = root.optional_texts("cpu_features", kAnyText);
  read_gpus(root, host);
  host.driver = root.optional_text("driver", kAnyText);
  host.libc = root.optional_text("libc", kAnyText);
  if (root.has("page_size")) host.page_size = root.number("page_size", 1, kMostPageSize);
  if (fault.reason()) return *fault.reason();
  return host;
}

Result<std::optional<TorchFacts>> torch_of_host(const boost::json::object& json) {
  FirstFault fault(Code::kBadOption);
  const ObjectReader root(json, fault, "host");
  std::optional<TorchFacts> torch;
  if (const boost::json::object* member = root.object("torch")) {
    const ObjectReader reader(*member, root, "torch");
    torch.emplace();
    torch->version = reader.text("version", kAnyText);
    if (!parse_version(torch->version)) fault.set(reader.path("version"), "a version", "\"" + torch->version + "\"");
    torch->git = reader.optional_text("git", kAnyText);
    torch->cuda = reader.optional_text("cuda", kAnyText);
    torch->hip = reader.optional_text("hip", kAnyText);
    torch->cxx11_abi = reader.optional_text("cxx11_abi", kAnyText);
  }
  if (fault.reason()) return *fault.reason();
  return torch;
}

boost::json::object to_host_json(const TorchFacts& torch) {
  return boost::json::object({{"version", valid_utf8(torch.version)},
                              {"git", valid_utf8(torch.git)},
                              {"cuda", valid_utf8(torch.cuda)},
                              {"hip", valid_utf8(torch.hip)},
                              {"cxx11_abi", valid_utf8(torch.cxx11_abi)}});
}

std::vector<std::string> unknown_of_host(const boost::json::object& json) {
  static constexpr std::string_view kKnown[] = {"arch", "cpu_name",  "cpu_level", "cpu_features", "gpus", "driver",
                                                "libc", "page_size", "torch",     "notes",        "text"};
  std::vector<std::string> unknown;
  for (const auto& [name, value] : json) {
    if (std::find(std::begin(kKnown), std::end(kKnown), std::string_view(name)) == std::end(kKnown)) {
      unknown.emplace_back(name);
    }
  }
  return unknown;
}

}  // namespace myops::rules

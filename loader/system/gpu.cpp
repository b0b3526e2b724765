#include "loader/system/gpu.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "loader/system/file_bytes.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// /dev/nvidia0, /dev/nvidia1, … (not nvidiactl, nvidia-uvm, …).
std::size_t count_device_files(const std::string& root) {
  // The driver gives none of them away without this one, and /dev is long.
  std::error_code error;
  if (!fs::exists(root + "/dev/nvidiactl", error)) return 0;
  const auto names = names_in(root + "/dev");
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("nvidia") && is_number(name.substr(6));
  }));
}

std::vector<std::string> model_names(const std::string& root) {
  std::vector<std::string> models;
  const std::string folder = root + "/proc/driver/nvidia/gpus";
  const std::vector<std::string> buses = names_in(folder);
  if (buses.empty()) return models;
  static const std::regex model_line("Model:[ \t]*([^\n]*[^ \t\n])");
  for (const std::string& bus : buses) {
    const std::string text = read_text(folder + "/" + bus + "/information");
    std::smatch match;
    models.push_back(std::regex_search(text, match, model_line) ? match[1].str() : "");
  }
  return models;
}

std::string driver_version(const std::string& root) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 …", also "… Open Kernel Module for x86_64
  // 580.65.06 …"
  if (const std::string text = read_text(root + "/proc/driver/nvidia/version"); !text.empty()) {
    // Making the expression takes longer than all the rest of this file.
    static const std::regex version("[ ]([0-9]+\\.[0-9]+(\\.[0-9]+)?)[ ]");
    std::smatch match;
    if (std::regex_search(text, match, version)) return match[1].str();
  }
  std::string module = read_text(root + "/sys/module/nvidia/version");
  while (!module.empty() && std::isspace(static_cast<unsigned char>(module.back())) != 0) module.pop_back();
  return module;
}

bool is_uuid(std::string_view entry) { return entry.starts_with("GPU-") || entry.starts_with("MIG-"); }

// The number that an entry begins with, as strtol reads it (" 1", "+1" and "1gpu" are 1); none where that is no index
// below `count`.
std::optional<std::size_t> index_of(const std::string& entry, std::size_t count) {
  char* end = nullptr;
  const long index = std::strtol(entry.c_str(), &end, 10);
  if (end == entry.c_str() || index < 0 || static_cast<std::size_t>(index) >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

// An entry of CUDA_VISIBLE_DEVICES that counts.
struct Entry {
  std::optional<std::size_t> index;
  std::string uuid;  // or its beginning, where there is no index
};

std::vector<Entry> visible_entries(const std::string& visible, std::size_t count) {
  std::vector<Entry> entries;
  std::set<std::string> seen;
  for (std::string entry : split(visible, ',')) {
    entry.erase(0, entry.find_first_not_of(" \t"));
    entry.erase(entry.find_last_not_of(" \t") + 1);
    const auto index = index_of(entry, count);
    // Which device a UUID means is not told here; none means one on a machine that has none.
    if (!index && (!is_uuid(entry) || entries.size() == count)) break;
    if (!seen.insert(index ? std::to_string(*index) : entry).second) return {};
    entries.push_back({index, index ? "" : entry});
  }
  return entries;
}

// What all have in common.
rules::Gpu any_of_these(const std::vector<Device>& devices) {
  const auto all_have = [&](std::string Device::* member) {
    return std::all_of(devices.begin(), devices.end(),
                       [&](const Device& device) { return device.*member == devices.front().*member; });
  };
  return {all_have(&Device::name) ? devices.front().name : "NVIDIA GPU",
          all_have(&Device::capability) ? devices.front().capability : ""};
}

}  // namespace

GpuFacts read_gpus(const std::string& root, const std::optional<std::string>& visible) {
  GpuFacts facts;
  facts.driver = driver_version(root);
  std::size_t count = count_device_files(root);
  std::error_code error;
  if (count == 0 && fs::exists(root + "/dev/dxg", error)) count = 1;  // Windows' driver seen from WSL: no count there
  const std::vector<std::string> models = model_names(root);
  for (std::size_t i = 0; i < count; ++i) {
    // A container may be given some of the machine's devices, while procfs shows all: then a model cannot be told
    // apart.
    facts.gpus.push_back({models.size() == count && !models[i].empty() ? models[i] : "NVIDIA GPU", ""});
  }
  if (!visible) return facts;
  std::vector<rules::Gpu> kept;
  for (const Entry& entry : visible_entries(*visible, facts.gpus.size())) {
    kept.push_back(entry.index ? facts.gpus[*entry.index] : rules::Gpu{entry.uuid, ""});
  }
  facts.gpus = std::move(kept);
  return facts;
}

std::vector<rules::Gpu> visible_gpus(const std::vector<Device>& devices, const std::optional<std::string>& visible,
                                     bool in_bus_order) {
  std::vector<rules::Gpu> gpus;
  if (!visible) {
    for (const Device& device : devices) gpus.push_back({device.name, device.capability});
    return gpus;
  }
  for (const Entry& entry : visible_entries(*visible, devices.size())) {
    if (entry.index) {
      const Device& device = devices[*entry.index];
      gpus.push_back(in_bus_order ? rules::Gpu{device.name, device.capability} : any_of_these(devices));
      continue;
    }
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const Device& device) { return device.uuid.starts_with(entry.uuid); });
    gpus.push_back(found == devices.end() ? rules::Gpu{entry.uuid, ""} : rules::Gpu{found->name, found->capability});
  }
  return gpus;
}

}  // namespace myops::system

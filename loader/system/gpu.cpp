#include "loader/system/gpu.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <regex>
#include <system_error>

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
  const auto names = names_in(root + "/dev");
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("nvidia") && is_number(name.substr(6));
  }));
}

std::vector<std::string> model_names(const std::string& root) {
  std::vector<std::string> models;
  const std::string folder = root + "/proc/driver/nvidia/gpus";
  static const std::regex model_line("Model:[ \t]*([^\n]*[^ \t\n])");
  for (const std::string& bus : names_in(folder)) {
    const std::string text = read_text(folder + "/" + bus + "/information");
    std::smatch match;
    models.push_back(std::regex_search(text, match, model_line) ? match[1].str() : "");
  }
  return models;
}

std::string driver_version(const std::string& root) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 …", also "… Open Kernel Module for x86_64
  // 580.65.06 …"
  const std::string text = read_text(root + "/proc/driver/nvidia/version");
  static const std::regex version("[ ]([0-9]+\\.[0-9]+(\\.[0-9]+)?)[ ]");
  std::smatch match;
  if (std::regex_search(text, match, version)) return match[1].str();
  std::string module = read_text(root + "/sys/module/nvidia/version");
  while (!module.empty() && std::isspace(static_cast<unsigned char>(module.back())) != 0) module.pop_back();
  return module;
}

std::vector<rules::Gpu> keep_visible(std::vector<rules::Gpu> gpus, const std::string& visible) {
  std::vector<rules::Gpu> kept;
  for (const std::string& entry : split(visible, ',')) {
    if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) {
      kept.push_back({entry, ""});
      continue;
    }
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    if (error != std::errc() || end != entry.data() + entry.size() || index >= gpus.size()) break;
    kept.push_back(gpus[index]);
  }
  return kept;
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
  if (visible) facts.gpus = keep_visible(std::move(facts.gpus), *visible);
  return facts;
}

}  // namespace myops::system

#include "loader/system/nvml.h"

#include <array>
#include <boost/dll/shared_library.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <exception>
#include <stdexcept>
#include <utility>

#include "loader/printable.h"
#include "loader/system/probe.h"

namespace myops::system {
namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

// Of nvml.h, which is not everywhere where this is built: all handles are pointers, every function returns 0 or what
// nvmlErrorString() has words for.
using Handle = void*;

class Nvml {
 public:
  Nvml() : library_(kLibrary, boost::dll::load_mode::rtld_now | boost::dll::load_mode::search_system_folders) {
    call<int()>("nvmlInit_v2");
  }
  ~Nvml() {
    if (library_.has("nvmlShutdown")) library_.get<int()>("nvmlShutdown")();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  template <class Signature, class... Arguments>
  void call(const char* function, Arguments... arguments) const {
    const int code = library_.get<Signature>(function)(arguments...);
    if (code == 0) return;
    const std::string words = library_.has("nvmlErrorString") ? library_.get<const char*(int)>("nvmlErrorString")(code)
                                                              : std::to_string(code);
    throw std::runtime_error(std::string(function) + ": " + words);
  }

  template <class... Arguments>
  std::string text(const char* function, Arguments... arguments) const {
    std::array<char, 256> buffer{};
    call<int(Arguments..., char*, unsigned)>(function, arguments..., buffer.data(),
                                             static_cast<unsigned>(buffer.size() - 1));
    return buffer.data();
  }

 private:
  boost::dll::shared_library library_;
};

boost::json::object device_json(const Nvml& nvml, unsigned index) {
  Handle device = nullptr;
  nvml.call<int(unsigned, Handle*)>("nvmlDeviceGetHandleByIndex_v2", index, &device);
  int major = 0, minor = 0;
  nvml.call<int(Handle, int*, int*)>("nvmlDeviceGetCudaComputeCapability", device, &major, &minor);
  return boost::json::object({{"name", valid_utf8(nvml.text("nvmlDeviceGetName", device))},
                              {"capability", std::to_string(major) + "." + std::to_string(minor)},
                              {"uuid", valid_utf8(nvml.text("nvmlDeviceGetUUID", device))}});
}

Reason no_answer(std::string found) { return {Code::kOpenFailed, kLibrary, "", std::move(found), ""}; }

std::string member(const boost::json::object& json, const char* name) {
  const auto* value = json.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace

boost::json::object driver_facts_json() {
  try {
    const Nvml nvml;
    boost::json::object facts({{"driver", valid_utf8(nvml.text("nvmlSystemGetDriverVersion"))}});
    unsigned count = 0;
    nvml.call<int(unsigned*)>("nvmlDeviceGetCount_v2", &count);
    boost::json::array gpus;
    for (unsigned i = 0; i < count; ++i) gpus.emplace_back(device_json(nvml, i));
    facts["gpus"] = std::move(gpus);
    return facts;
  } catch (const std::exception& error) {
    return boost::json::object({{"error", valid_utf8(error.what())}});
  }
}

Result<DriverFacts> ask_driver(std::vector<std::string> helper, std::chrono::milliseconds limit) {
  helper.insert(helper.end(), {"gpus", "{}"});
  const auto outcome = run_child(helper, limit);
  if (!outcome) return outcome.error();
  if (auto failure = failure_of(*outcome, kLibrary)) return *failure;
  boost::json::error_code failed;
  const auto json = boost::json::parse(outcome->output, failed);
  if (failed || !json.is_object()) return no_answer("the child process gave no answer");
  const auto& object = json.get_object();
  if (object.contains("error")) return no_answer(member(object, "error"));
  DriverFacts facts{member(object, "driver"), {}};
  const auto* gpus = object.if_contains("gpus");
  if (gpus == nullptr || !gpus->is_array()) return no_answer("the child process gave no answer");
  for (const auto& gpu : gpus->get_array()) {
    if (!gpu.is_object()) continue;
    facts.devices.push_back(
        {member(gpu.get_object(), "name"), member(gpu.get_object(), "capability"), member(gpu.get_object(), "uuid")});
  }
  return facts;
}

}  // namespace myops::system

// Which NVIDIA devices are there, without asking the driver: device files, procfs and sysfs only. Starts no CUDA.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/rules/world.h"

namespace myops::system {

struct GpuFacts {
  std::vector<rules::Gpu> gpus;  // visible ones; capability stays unknown here
  std::string driver;            // "580.65.06", "" where no kernel driver is loaded
};

// `root` is "" for this machine, or a folder that stands for / (tests). `visible` is CUDA_VISIBLE_DEVICES: as for CUDA
// and torch (torch/cuda/__init__.py, _parse_visible_devices), blanks around an entry and what follows its number are
// passed over, the list ends at its first entry that names no device, so "" and "-1" leave none, and a device named
// twice leaves none either; a device's UUID counts as one.
GpuFacts read_gpus(const std::string& root, const std::optional<std::string>& visible);

// One device as the driver tells it (nvml.h), in the order of PCI buses.
struct Device {
  std::string name;
  std::string capability;  // "9.0"
  std::string uuid;        // "GPU-8932f937-…"
};

struct DriverFacts {
  std::string driver;  // "580.65.06"
  std::vector<Device> devices;
};

// Those of the devices that CUDA shows. `in_bus_order`: it numbers them as they stand here (CUDA_DEVICE_ORDER is
// PCI_BUS_ID); otherwise the fastest is its first, so that a number means any of them, and what they differ in is not
// told.
std::vector<rules::Gpu> visible_gpus(const std::vector<Device>& devices, const std::optional<std::string>& visible,
                                     bool in_bus_order);

}  // namespace myops::system

// What the NVIDIA driver says of its GPUs, through its management library (libnvidia-ml.so.1, "NVML API Reference"). In
// a child process: that library is the driver's, and may hang or end the process. Starts no CUDA.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "loader/reason.h"
#include "loader/system/gpu.h"

namespace myops::system {

// Asks in a child of this command (child_task.h), for so long at most. Error: open-failed, with what happened.
Result<DriverFacts> ask_driver(std::vector<std::string> helper, std::chrono::milliseconds limit);

// The child's side: {"driver", "gpus": [{"name", "capability", "uuid"}]}, or {"error"}.
boost::json::object driver_facts_json();

}  // namespace myops::system

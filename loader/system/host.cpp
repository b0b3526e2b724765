#include "loader/system/host.h"

#include <gnu/libc-version.h>
#include <unistd.h>

#include <string>

#include "loader/system/cpu.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

// What this process can execute and map: fixed when the loader was compiled, whatever the kernel is.
constexpr const char* kArch =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
#error "the loader knows the dynamic linker of x86_64 and aarch64"
#endif

}  // namespace

std::string_view running_arch() { return kArch; }

rules::HostFacts read_host(const std::optional<DriverFacts>& driver) {
  rules::HostFacts host;
  host.arch = kArch;
  CpuFacts cpu = read_cpu();
  host.cpu_name = std::move(cpu.name);
  host.cpu_level = std::move(cpu.level);
  host.cpu_features = std::move(cpu.features);
  GpuFacts gpus = read_gpus("", variable("CUDA_VISIBLE_DEVICES"));
  host.gpus = std::move(gpus.gpus);
  host.driver = std::move(gpus.driver);
  if (driver && !driver->devices.empty()) {
    host.gpus =
        visible_gpus(driver->devices, variable("CUDA_VISIBLE_DEVICES"), variable("CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
    host.driver = driver->driver;
  }
  host.libc = std::string("glibc ") + gnu_get_libc_version();
  host.page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return host;
}

}  // namespace myops::system

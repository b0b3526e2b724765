// A torch on disk that has the right names and nothing else: copies of this test program stand for its libraries.
#pragma once

#include <filesystem>
#include <string>

#include "tests/loader/system/temporary_folder.h"

namespace myops::testing {

// Small ELF files of this machine that parse: their content does not matter.
inline void write_torch_libraries(const TemporaryFolder& folder, const std::string& lib, bool with_python = true) {
  std::filesystem::create_directories(folder / lib);
  for (const char* name : {"libc10.so", "libtorch_cpu.so", "libtorch_python.so"}) {
    if (!with_python && std::string(name) == "libtorch_python.so") continue;
    std::filesystem::copy_file(TINY_LIBRARY, folder / lib + "/" + name);
  }
}

inline constexpr const char* kVersionPy =
    "from typing import Optional\n"
    "\n"
    "__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']\n"
    "__version__ = '2.15.0+cu132'\n"
    "debug = False\n"
    "cuda: Optional[str] = '13.2'\n"
    "git_version = 'd0f2af8b'\n"
    "hip: Optional[str] = None\n";

// PREFIX/bin/python3 and PREFIX/lib/python3.11/site-packages/torch.
inline void write_python_with_torch(const TemporaryFolder& folder, const std::string& prefix) {
  const std::string packages = prefix + "/lib/python3.11/site-packages";
  write_torch_libraries(folder, packages + "/torch/lib");
  folder.write(packages + "/torch/version.py", kVersionPy);
  const std::string python = folder.write(prefix + "/bin/python3.11", "");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  folder.link("python3.11", prefix + "/bin/python3");
}

}  // namespace myops::testing

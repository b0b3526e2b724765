#include "loader/system/torch_folder.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "loader/elf/elf_facts.h"
#include "loader/system/facts_cache.h"
#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCore[] = {"libc10.so", "libtorch_cpu.so"};
constexpr const char* kFurther[] = {"libtorch_python.so", "libc10_cuda.so", "libtorch_cuda.so"};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// "name: Optional[str] = 'value'" → {"name", "value"}; None gives "".
std::pair<std::string, std::string> assignment(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string name = trimmed(line.substr(0, std::min(equals, line.find(':'))));
  std::string value = trimmed(line.substr(equals + 1));
  const bool quoted =
      value.size() >= 2 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front();
  return {name, quoted ? value.substr(1, value.size() - 2) : ""};
}

std::string without_local_part(const std::string& version) { return version.substr(0, version.find('+')); }

// "+cu132" → "13.2", "+cu118" → "11.8"; "" for "+cpu" and none.
std::string cuda_of_local_part(const std::string& version) {
  const std::size_t at = version.find("+cu");
  if (at == std::string::npos) return "";
  const std::string digits = version.substr(at + 3, version.find_first_not_of("0123456789", at + 3) - (at + 3));
  return digits.size() < 2 ? "" : digits.substr(0, digits.size() - 1) + "." + digits.back();
}

// Beside lib: version.py in the Python package, build-version (and build-hash) in a libtorch archive.
VersionText read_version(const fs::path& root) {
  VersionText text = parse_version_py(read_text(root / "version.py"));
  if (text.version.empty()) {
    text = parse_build_version(read_text(root / "build-version"));
    text.git = trimmed(read_text(root / "build-hash"));
  }
  return text;
}

Result<std::string> cxx11_abi(const fs::path& libc10) {
  const auto bytes = FileBytes::open(libc10);
  if (!bytes) return bytes.error();
  const auto is_new = elf::names_contain(**bytes, kNewAbiMark);
  if (!is_new) return is_new.error();
  return *is_new ? "new" : "old";
}

}  // namespace

VersionText parse_version_py(std::string_view text) {
  VersionText out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto [name, value] = assignment(line);
    if (name == "__version__") out.version = without_local_part(value);
    if (name == "git_version") out.git = value;
    if (name == "cuda") out.cuda = value;
    if (name == "hip") out.hip = value;
  }
  return out;
}

VersionText parse_build_version(std::string_view text) {
  const std::string version = trimmed(text);
  const std::size_t rocm = version.find("+rocm");
  return {without_local_part(version), "", cuda_of_local_part(version),
          rocm == std::string::npos ? "" : version.substr(rocm + 5)};
}

std::optional<std::string> torch_library_folder(const std::string& folder) {
  for (const fs::path& candidate : {fs::path(folder) / "lib", fs::path(folder)}) {
    std::error_code error;
    if (!is_there(candidate / "libtorch_cpu.so") || !is_there(candidate / "libc10.so")) continue;
    const fs::path absolute = fs::absolute(candidate, error);
    return (error ? candidate : absolute.lexically_normal()).string();
  }
  return std::nullopt;
}

Result<rules::TorchFacts> read_torch(const std::string& lib_dir, const TorchInMemory& in_memory) {
  const fs::path folder(lib_dir);
  VersionText text = read_version(folder.parent_path());
  if (text.version.empty()) {
    return Reason{Code::kTorchNotFound, lib_dir, "version.py or build-version beside the folder", "neither",
                  "name the `torch` folder of an installed torch, or the root of a libtorch archive"};
  }
  rules::TorchFacts torch;
  torch.lib_dir = lib_dir;
  torch.version = std::move(text.version);
  torch.git = std::move(text.git);
  torch.cuda = std::move(text.cuda);
  torch.hip = std::move(text.hip);
  torch.cxx11_abi = in_memory.cxx11_abi;
  if (torch.cxx11_abi.empty()) {
    auto abi = cxx11_abi(folder / kCore[0]);
    if (!abi) return abi.error();
    torch.cxx11_abi = std::move(*abi);
  }
  const auto read = [&](const char* name) -> Result<void> {
    const auto facts = facts_cache().read(folder / name, elf::Depth::kIdentity);
    if (!facts) return facts.error();
    torch.build_ids[name] = (*facts)->build_id;
    return {};
  };
  for (const char* name : kCore) {
    if (auto done = read(name); !done && name == kCore[0]) return done.error();
  }
  for (const char* name : kFurther) {
    const auto known = in_memory.build_ids.find(name);
    if (known == in_memory.build_ids.end()) {
      static_cast<void>(read(name));
    } else {
      torch.build_ids.insert(*known);
    }
  }
  return torch;
}

}  // namespace myops::system

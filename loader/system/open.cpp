#include "loader/system/open.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <boost/dll/shared_library.hpp>
#include <cerrno>
#include <exception>
#include <memory>
#include <string_view>

#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

// Boost wraps what dlerror() said: "boost::dll::… failed (dlerror system message: TEXT): Bad file descriptor".
std::string linker_text(const std::string& what) {
  constexpr std::string_view kBefore = "dlerror system message: ";
  const std::size_t start = what.find(kBefore);
  const std::size_t end = what.rfind("): ");
  if (start == std::string::npos || end == std::string::npos || end < start) return what;
  return what.substr(start + kBefore.size(), end - start - kBefore.size());
}

std::string seconds(std::int64_t nanoseconds) {
  const std::string fraction = std::to_string(nanoseconds % 1'000'000'000);
  return std::to_string(nanoseconds / 1'000'000'000) + "." + std::string(9 - fraction.size(), '0') + fraction;
}

std::string describe(const FileIdentity& identity) {
  return "inode " + std::to_string(identity.inode) + ", " + std::to_string(identity.size) + " bytes, modified at " +
         seconds(identity.mtime_ns) + ", last change at " + seconds(identity.ctime_ns);
}

// The linker also takes a SONAME for the name of a library that is there, and nothing keeps a SONAME from being a path.
std::optional<Reason> given_another(void* handle, const std::string& path) {
  const link_map* given = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&given)) != 0 || path == given->l_name) return std::nullopt;
  struct stat there{}, asked{};
  if (::stat(given->l_name, &there) != 0 || ::stat(path.c_str(), &asked) != 0) return std::nullopt;
  if (there.st_dev == asked.st_dev && there.st_ino == asked.st_ino) return std::nullopt;
  return Reason{Code::kOpenFailed, path, "", std::string(given->l_name) + " is in the process under this name",
                "its SONAME is the path of another file: leave that library out"};
}

Reason changed(const rules::CandidateFile& file, const std::string& found, const std::string& hint) {
  const FileIdentity judged{file.device, file.inode, file.size, file.mtime_ns, file.ctime_ns};
  return {Code::kChangedWhileLoading, file.path, describe(judged), found, hint};
}

}  // namespace

std::optional<Reason> open_library(const std::string& path) {
  try {
    // Its destructor would close the library: given up on purpose.
    auto library = std::make_unique<boost::dll::shared_library>(
        path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    return given_another(library.release()->native(), path);
  } catch (const std::exception& error) {
    return Reason{Code::kOpenFailed, path, "", linker_text(error.what()), ""};
  }
}

std::optional<Reason> changed_since(const rules::CandidateFile& file) {
  const FileIdentity judged{file.device, file.inode, file.size, file.mtime_ns, file.ctime_ns};
  struct stat status{};
  const bool exists = ::stat(file.real_path.c_str(), &status) == 0;
  const int error = errno;
  if (exists && identity_of(status) == judged) return std::nullopt;
  return changed(file, exists ? describe(identity_of(status)) : errno_text(error),
                 "load again when its installation is finished");
}

std::optional<Reason> replaced_since(const rules::CandidateFile& file) {
  struct stat status{};
  const bool exists = ::stat(file.real_path.c_str(), &status) == 0;
  const int error = errno;
  if (exists && status.st_dev == file.device && status.st_ino == file.inode) return std::nullopt;
  return changed(file, exists ? describe(identity_of(status)) : errno_text(error),
                 "start the process again when its installation is finished");
}

}  // namespace myops::system

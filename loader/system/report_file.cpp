#include "loader/system/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "loader/printable.h"
#include "loader/system/file_bytes.h"
#include "loader/system/log.h"

namespace myops::system {
namespace {

// 0, or the errno that stopped it.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t step = ::write(descriptor, text.data(), text.size());
    if (step < 0 && errno != EINTR) return errno;
    if (step > 0) text.remove_prefix(static_cast<std::size_t>(step));
  }
  return 0;
}

}  // namespace

void write_report(const std::string& path, const Answer& answer) {
  // Without O_NONBLOCK a pipe that nobody reads would hold the load for ever.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFL, 0);  // the writing may wait for a reader that is there
  int error = descriptor < 0 ? errno : write_all(descriptor, dump(answer.json) + "\n");
  if (descriptor >= 0 && ::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) log(LogLevel::kError, "MYOPS_REPORT=" + printable(path) + " cannot be written: " + errno_text(error));
}

}  // namespace myops::system

#include "loader/system/written_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace myops::system {
namespace {

// Keeps the SIGPIPE of this thread's writes from the host: a reader that went away is an errno like any other.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    while (!was_pending_ && ::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

// 0, or the errno that stopped it. Closes the descriptor.
int write_all(int descriptor, std::string_view text) {
  const WithoutSigpipe guard;
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t step = ::write(descriptor, text.data(), text.size());
    if (step < 0 && errno != EINTR) error = errno;
    if (step > 0) text.remove_prefix(static_cast<std::size_t>(step));
  }
  if (::close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

// To a pipe, a device, what a link points to: as it is.
int write_in_place(const std::string& path, std::string_view text) {
  // Without O_NONBLOCK a pipe that nobody reads would hold the load for ever.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
  if (descriptor < 0) return errno;
  ::fcntl(descriptor, F_SETFL, 0);  // the writing may wait for a reader that is there
  return write_all(descriptor, text);
}

// Under another name first, so that nobody reads half a report.
int write_and_rename(const std::string& path, const struct stat* before, std::string_view text) {
  const std::string part = path + ".part" + std::to_string(::getpid());
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return write_in_place(path, text);  // a folder that only lets its files be written
  if (before != nullptr) ::fchmod(descriptor, before->st_mode & 07777);
  const int error = write_all(descriptor, text);
  const bool renamed = error == 0 && ::rename(part.c_str(), path.c_str()) == 0;
  if (!renamed) ::unlink(part.c_str());
  return renamed || error != 0 ? error : write_in_place(path, text);
}

}  // namespace

int write_text(const std::string& path, std::string_view text) {
  struct stat status{};
  const bool is_there = ::lstat(path.c_str(), &status) == 0;
  const bool is_new = !is_there && errno == ENOENT;
  const bool is_file = is_there && S_ISREG(status.st_mode);
  return is_file || is_new ? write_and_rename(path, is_file ? &status : nullptr, text) : write_in_place(path, text);
}

}  // namespace myops::system

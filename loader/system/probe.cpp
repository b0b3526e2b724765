#include "loader/system/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOutputLimit = std::size_t{64} << 20;
constexpr std::size_t kErrorsKept = std::size_t{64} << 10;
constexpr std::chrono::seconds kGrace{2};  // for a killed child to end
constexpr int kSliceMs = 10;               // how late the end of a child is seen whose own children hold its pipes open

// A pipe whose ends close themselves, and do not reach any other child.
class Pipe {
 public:
  Pipe() { valid_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    close_writer();
    if (valid_) ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool valid() const { return valid_; }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (valid_ && ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool valid_ = false;
};

// Appends what can be read now, but not for ever: a child may write faster than this reads. At the end of the pipe
// `descriptor` becomes -1, which poll() passes over: it would return at once for a closed one.
void drain(int& descriptor, std::string& text) {
  std::array<char, 16384> buffer;
  for (int turn = 0; turn < 64 && descriptor >= 0; ++turn) {
    const auto count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) descriptor = -1;
    if (count < 0 && errno != EINTR) return;
  }
}

using Ends = std::array<pollfd, 2>;  // of the child's output and errors

void drain(Ends& ends, ChildOutcome& outcome) {
  drain(ends[0].fd, outcome.output);
  drain(ends[1].fd, outcome.errors);
  if (outcome.output.size() > kOutputLimit) outcome.output.resize(kOutputLimit);
  if (outcome.errors.size() > kErrorsKept) outcome.errors.erase(0, outcome.errors.size() - kErrorsKept);
}

int spawn(const std::vector<std::string>& arguments, const Pipe& output, const Pipe& errors, pid_t& child) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.writer(), STDERR_FILENO);
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

enum class End { kNotYet, kKnown, kUnknown };

// Where SIGCHLD is ignored (a parent may leave it so) the kernel keeps no status, and there is no child to wait for.
End end_of(pid_t child, int& status, int flags) {
  pid_t ended;
  do {
    ended = ::waitpid(child, &status, flags);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) return End::kUnknown;
  return ended == 0 ? End::kNotYet : End::kKnown;
}

// One that hangs in the kernel, in a driver say, ends when that lets go of it: it is not waited for.
End end_of_killed(pid_t child, int& status) {
  const Clock::time_point enough = Clock::now() + kGrace;
  End end;
  while ((end = end_of(child, status, WNOHANG)) == End::kNotYet && Clock::now() < enough) {
    ::poll(nullptr, 0, kSliceMs);
  }
  return end == End::kNotYet ? End::kUnknown : end;
}

// Reads along until the child has ended, or kills it at the deadline. The end counts, not the pipes': others may hold
// those.
int wait_for(pid_t child, Clock::time_point deadline, const Pipe& output, const Pipe& errors, ChildOutcome& outcome) {
  Ends ends{{{output.reader(), POLLIN, 0}, {errors.reader(), POLLIN, 0}}};
  int status = 0;
  End end;
  while ((end = end_of(child, status, WNOHANG)) == End::kNotYet) {
    if (Clock::now() >= deadline) {
      outcome.timed_out = true;
      ::kill(child, SIGKILL);
      end = end_of_killed(child, status);
      break;
    }
    ::poll(ends.data(), ends.size(), kSliceMs);
    drain(ends, outcome);
  }
  drain(ends, outcome);
  outcome.end_known = end == End::kKnown;
  return status;
}

Reason could_not_start(const std::string& program, int error) {
  return {.code = Code::kOpenFailed,
          .subject = program,
          .expected = "a program to measure in a process of its own",
          .found = errno_text(error),
          .hint = error == E2BIG ? "its options are too long for a command line: shorten lists of paths and names"
                                 : "name a program that can be run, or free processes and memory"};
}

}  // namespace

Result<ChildOutcome> run_child(const std::vector<std::string>& arguments, std::chrono::milliseconds limit) {
  Pipe output, errors;
  if (!output.valid() || !errors.valid()) return could_not_start(arguments.front(), errno);
  for (const auto* pipe : {&output, &errors}) ::fcntl(pipe->reader(), F_SETFL, O_NONBLOCK);
  pid_t child = 0;
  if (const int error = spawn(arguments, output, errors, child); error != 0) {
    return could_not_start(arguments.front(), error);
  }
  output.close_writer();
  errors.close_writer();
  ChildOutcome outcome;
  const int status = wait_for(child, Clock::now() + limit, output, errors, outcome);
  if (!outcome.end_known) return outcome;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

}  // namespace myops::system

// start_exit WAY CYCLES: so many processes load everything, call operators, differentiate, and end in that way:
//
//   return       from main
//   exit         by std::exit
//   exit-thread  by std::exit of another thread, while main waits
//   quick_exit   by std::quick_exit, which runs no destructor
//   exception    one that leaves main: the process is aborted
//
// Each is a fork of this one, which has torch mapped and has called nothing of it, and tells through a pipe that it has
// computed what it should. The first that does not, or ends otherwise, or not within a minute, ends this one with
// status 1.
#include <ATen/ops/ones.h>
#include <myops/loader.h>
#include <myops/ops.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

bool computes() {
  myops::load({.require = {"CPU", "Autograd"}});
  const at::Tensor x = at::ones({4, 64}).set_requires_grad(true);
  myops::rms_norm(myops::myadd(x, x), {}, 1e-6).sum().backward();
  return x.grad().defined() && x.grad().abs().max().item<float>() < 1e-5F;
}

// What a child does; the status is main's.
int live(const std::string& way, int pipe) {
  ::alarm(60);
  if (!computes() || ::write(pipe, "c", 1) != 1) return 3;
  if (way == "exit") std::exit(0);
  if (way == "exit-thread") std::thread([] { std::exit(0); }).join();
  if (way == "quick_exit") std::quick_exit(0);
  if (way == "exception") {
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    std::fclose(stderr);
    throw std::runtime_error("on purpose");
  }
  return 0;
}

bool is_expected(const std::string& way, int status) {
  if (way == "exception") return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int fail(const char* what) {
  std::perror(what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int cycles = argc == 3 ? std::atoi(argv[2]) : 0;
  if (cycles < 1) return 2;
  const std::string way = argv[1];
  for (int cycle = 0; cycle < cycles; ++cycle) {
    int pipe[2];
    if (::pipe(pipe) != 0) return fail("pipe");
    const pid_t child = ::fork();
    if (child < 0) return fail("fork");
    if (child == 0) return live(way, pipe[1]);
    ::close(pipe[1]);
    char told = 0;
    const bool has_computed = ::read(pipe[0], &told, 1) == 1;
    ::close(pipe[0]);
    int status = 0;
    if (::waitpid(child, &status, 0) != child) return fail("waitpid");
    if (has_computed && is_expected(way, status)) continue;
    std::fprintf(stderr, "%s, cycle %d: %s, wait status %#x\n", way.c_str(), cycle,
                 has_computed ? "computed" : "computed nothing", status);
    return 1;
  }
}

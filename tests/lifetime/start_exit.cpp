// start_exit WAY CYCLES: so many processes load everything, call operators, differentiate, and end in that way:
//
//   return       from main
//   exit         by std::exit
//   exit-thread  by std::exit of another thread, while main waits
//   quick_exit   by std::quick_exit, which runs no destructor
//   exception    one that leaves main: the process is aborted
//
// Each is a fork of this one, which has torch mapped and has called nothing of it. The first that ends otherwise ends
// this one, with status 1; one that has not ended after a minute does, too.
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
int live(const std::string& way) {
  ::alarm(60);
  if (!computes()) return 3;
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string way = argv[1];
  for (int cycle = 0; cycle < std::atoi(argv[2]); ++cycle) {
    const pid_t child = ::fork();
    if (child == 0) return live(way);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (is_expected(way, status)) continue;
    std::fprintf(stderr, "%s, cycle %d: wait status %#x\n", way.c_str(), cycle, status);
    return 1;
  }
}

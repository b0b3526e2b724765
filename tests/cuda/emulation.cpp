#include "tests/cuda/emulation.h"

#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace myops::emulation {
namespace {

constexpr size_t kStackBytes = 128 * 1024;

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStackBytes);
  std::optional<Wait> waits;
  bool done = false;
  unsigned char given[8] = {};
};

ucontext_t scheduler;
std::vector<Fiber> fibers;
unsigned fiber_count = 0;
const std::function<void()>* kernel_body = nullptr;

void enter() {
  (*kernel_body)();
  fibers[thread_index.x].done = true;
}

void prepare(Fiber& fiber) {
  fiber.done = false;
  fiber.waits.reset();
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = &scheduler;
  makecontext(&fiber.context, enter, 0);
}

[[noreturn]] void diverged() {
  std::fprintf(stderr, "threads of one block wait at different places, or some have ended\n");
  std::abort();
}

// One round: each thread runs until it waits or ends. The order changes from round to round: a result that depends on
// it is a race.
bool run_round(bool backwards) {
  for (unsigned i = 0; i < fiber_count; ++i) {
    thread_index.x = backwards ? fiber_count - 1 - i : i;
    swapcontext(&scheduler, &fibers[thread_index.x].context);
  }
  for (unsigned i = 1; i < fiber_count; ++i) {
    if (fibers[i].done != fibers[0].done || (!fibers[i].done && fibers[i].waits != fibers[0].waits)) diverged();
  }
  return !fibers[0].done;
}

}  // namespace

void wait(Wait place) {
  Fiber& self = fibers[thread_index.x];
  self.waits = place;
  swapcontext(&self.context, &scheduler);
}

void exchange(const void* given, void* got, unsigned size, unsigned of) {
  std::memcpy(fibers[thread_index.x].given, given, size);
  wait(Wait::kShuffle);
  const unsigned other = thread_index.x / 32 * 32 + of;
  if (other >= fiber_count) diverged();
  std::memcpy(got, fibers[other].given, size);
  wait(Wait::kShuffle);  // until the others have read what this one gave
}

void run(unsigned blocks, unsigned threads, const std::function<void()>& body) {
  if (fibers.size() < threads) fibers.resize(threads);
  fiber_count = threads;
  kernel_body = &body;
  grid_size.x = blocks;
  block_size.x = threads;
  for (block_index.x = 0; block_index.x < blocks; ++block_index.x) {
    for (unsigned i = 0; i < threads; ++i) prepare(fibers[i]);
    for (bool backwards = block_index.x % 2 != 0; run_round(backwards); backwards = !backwards) {
    }
  }
}

}  // namespace myops::emulation

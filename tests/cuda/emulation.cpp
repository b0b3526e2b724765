#include "tests/cuda/emulation.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace myops::emulation {
namespace {

constexpr size_t kStackBytes = 128 * 1024;
constexpr unsigned kWarp = 32;

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
  std::fprintf(stderr, "threads of one block or warp wait at different places, or some have ended\n");
  std::abort();
}

// Threads of [first, end) all wait for the same, or all are done.
bool agree(unsigned first, unsigned end) {
  return std::all_of(fibers.begin() + first, fibers.begin() + end, [&](const Fiber& fiber) {
    return fiber.done == fibers[first].done && (fiber.done || fiber.waits == fibers[first].waits);
  });
}

// One round: each warp that may go on does, its threads one by one, until they wait or end. A warp goes on after a
// shuffle when all of it is there, after __syncthreads when all of the block is.
bool run_round(const std::vector<unsigned>& order) {
  const bool block_goes_on = agree(0, fiber_count);
  std::vector<unsigned> next;
  for (const unsigned thread : order) {
    const unsigned first = thread / kWarp * kWarp;
    const Fiber& fiber = fibers[thread];
    if (fiber.done || (!block_goes_on && fiber.waits != Wait::kShuffle)) continue;
    if (!agree(first, std::min(first + kWarp, fiber_count))) diverged();
    next.push_back(thread);
  }
  if (next.empty() && !fibers[0].done) diverged();
  for (const unsigned thread : next) {
    thread_index.x = thread;
    swapcontext(&scheduler, &fibers[thread].context);
  }
  return !next.empty();
}

// `count` numbers as the order wants them; `turn` counts the rounds.
std::vector<unsigned> ordered(unsigned count, unsigned turn) {
  std::vector<unsigned> numbers(count);
  for (unsigned i = 0; i < count; ++i) numbers[i] = i;
  if (order == Order::kShuffled) {
    std::mt19937 generator(turn);
    std::shuffle(numbers.begin(), numbers.end(), generator);
  } else if ((order == Order::kBackwards) != (turn % 2 != 0)) {
    std::reverse(numbers.begin(), numbers.end());
  }
  return numbers;
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
  const unsigned other = thread_index.x / kWarp * kWarp + of;
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
  for (const unsigned block : ordered(blocks, 0)) {
    block_index.x = block;
    for (unsigned i = 0; i < threads; ++i) prepare(fibers[i]);
    for (unsigned turn = block; run_round(ordered(threads, turn)); ++turn) {
    }
  }
}

}  // namespace myops::emulation

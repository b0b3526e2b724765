// A small real library with everything that the reader looks at: imports and exports, data and functions, weak and
// versioned symbols.
#include <cmath>
#include <cstdio>

extern "C" {

__attribute__((weak)) int fixture_absent(int value);

int fixture_counter = 1;

double fixture_sine(double value) { return std::sin(value) + fixture_counter; }

int fixture_print(const char* text) {
  if (fixture_absent) return fixture_absent(fixture_counter);
  return std::puts(text);
}

__attribute__((weak)) int fixture_weak() { return fixture_counter++; }
}

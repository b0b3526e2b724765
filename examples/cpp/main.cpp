// A C++ program that uses myops: load what this machine can use, then call operators through typed functions.
// Everything else about the libraries is in the report.
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <myops/loader.h>
#include <myops/ops.h>

#include <cstdio>
#include <iostream>

int main() {
  try {
    auto report = myops::load({.require = {"CPU", "Autograd"}});
    std::cout << report.text() << '\n';

    auto x = at::rand({4, 384}).set_requires_grad(true);
    auto weight = at::ones({384});
    auto y = myops::rms_norm(x, weight, 1e-6);
    y.sum().backward();
    std::cout << "rms_norm: " << y.sizes() << ", gradient: " << x.grad().sizes() << '\n';
  } catch (const myops::LoadError& error) {  // what() is the report: each library, and why it was not loaded
    std::fputs(error.what(), stderr);
    return 1;
  }
}

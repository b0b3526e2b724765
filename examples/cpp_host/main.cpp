// A C++ program that uses myops: load what this machine can use, then call operators through typed functions.
// Everything else about the libraries is in the report.
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <myops/loader.h>
#include <myops/ops.h>

#include <cstdio>
#include <exception>
#include <iostream>

int main() {
  try {
    auto report = myops::load({.require = {"CPU", "Autograd"}});
    std::cout << report.text() << '\n' << myops::table().text() << '\n';

    auto x = at::arange(4.0 * 384, at::kFloat).view({4, 384}).set_requires_grad(true);
    auto weight = at::ones({384});
    auto y = myops::rms_norm(x, weight, 1e-6);
    y.sum().backward();
    std::printf("rms_norm(x)[1][7] = %.9g, its gradient = %.9g\n", y[1][7].item<float>(), x.grad()[1][7].item<float>());
    std::printf("layer_norm(x)[1][7] = %.9g\n", myops::layer_norm(x, weight, weight)[1][7].item<float>());
    std::printf("add_layer_norm(x, x)[1][7] = %.9g\n",
                std::get<0>(myops::add_layer_norm(x, x, weight, weight))[1][7].item<float>());
    std::printf("myadd(x, weight)[1][7] = %.9g\n", myops::myadd(x, weight)[1][7].item<float>());
    std::printf("sum(x) = %.9g\n", myops::sum(x).item<float>());
  } catch (const myops::LoadError& error) {  // what() is the report: each library, and why it was not loaded
    std::fputs(error.what(), stderr);
    return 1;
  } catch (const std::exception& error) {  // of an operator: c10::Error and its kinds (myops/ops.h)
    std::cerr << error.what() << '\n';
    return 1;
  }
}

// plan_alone OPTIONS: the answer of a plan as JSON, by a program that has all of the loader inside. It runs as a copy
// of it anywhere does, and with the set-group-ID bit, where the linker looks up no $ORIGIN.
#include <sys/auxv.h>

#include <cstdio>
#include <string>

#include "loader/system/look.h"

int main(int argc, char** argv) {
  const auto options = myops::system::parse_judging_options(argc > 1 ? argv[1] : "");
  const auto answer = options ? myops::system::plan(*options) : myops::Result<myops::system::Answer>(options.error());
  auto json = answer ? answer->json : myops::system::error_answer(answer.error(), myops::system::kWrongOptions).json;
  json["secure"] = ::getauxval(AT_SECURE) != 0;
  std::puts(myops::system::dump(json).c_str());
}

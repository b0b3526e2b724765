#include "loader/rules/world.h"

#include "loader/rules/version.h"

namespace myops::rules {

std::string TorchFacts::minor() const {
  const auto parsed = parse_version(version);
  return parsed ? parsed->minor_text() : "";
}

}  // namespace myops::rules

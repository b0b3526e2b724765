// Version numbers of torch, CUDA and drivers, taken apart and compared. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace myops::rules {

struct Version {
  std::vector<unsigned> numbers;  // "2.15.0" → {2, 15, 0}; at least one
  std::string suffix;  // what follows the numbers, without a local part ("+cu132"): "a0", ".dev20260101", "rc1"

  unsigned major() const { return numbers[0]; }
  unsigned minor() const { return numbers.size() > 1 ? numbers[1] : 0; }
  std::string minor_text() const;  // "2.15"
  // Between releases ("2.16.0a0", "2.16.0.dev20260101", "2.15.0rc1"): such builds match by their git revision only.
  bool is_development() const;
};

// None where the text does not start with a number, or a number has more than nine digits.
std::optional<Version> parse_version(std::string_view text);

// Numbers from the left, suffixes aside: 580.65.06 is not older than 580.
bool is_older(const Version& one, const Version& other);

}  // namespace myops::rules

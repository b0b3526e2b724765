// The text in the note: what is taken can be written and read again without loss.
#include <string>

#include "loader/rules/manifest.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {

void read_manifest(Input input) {
  const Result<rules::Manifest> manifest = rules::parse_manifest(text_of(input));
  if (!manifest) return;
  const std::string written = rules::to_json_text(*manifest);
  const Result<rules::Manifest> again = rules::parse_manifest(written);
  require(again.has_value(), "what was written can be read");
  require(rules::to_json_text(*again) == written, "nothing is lost by writing");
}

}  // namespace myops::fuzz

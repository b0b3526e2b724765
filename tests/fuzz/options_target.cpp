// What callers hand over, the machine of a --host file, and lock files.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>

#include "loader/rules/lock.h"
#include "loader/rules/report.h"
#include "loader/rules/strict_json.h"
#include "loader/system/options.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {

void read_options(Input input) {
  const std::string_view text = text_of(input);
  system::parse_options(text);
  const Result<rules::Lock> lock = rules::parse_lock(text);
  if (lock) {
    const Result<rules::Lock> again = rules::parse_lock(rules::to_json_text(*lock));
    require(again && rules::to_json_text(*again) == rules::to_json_text(*lock), "nothing of a lock is lost by writing");
  }

  const Result<boost::json::value> json = rules::parse_json(text, Code::kBadOption);
  if (!json || !json->is_object()) return;
  const Result<rules::HostFacts> host = rules::host_from_json(json->get_object());
  if (!host) return;
  const boost::json::object written = rules::to_json(*host);
  const Result<rules::HostFacts> again = rules::host_from_json(written);
  require(again.has_value(), "a machine that was written can be read");
  require(boost::json::serialize(rules::to_json(*again)) == boost::json::serialize(written),
          "nothing of a machine is lost by writing");
}

}  // namespace myops::fuzz

#include "loader/system/stamp_exchange.h"

#include <boost/describe/class.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

#include "loader/rules/report.h"
#include "loader/system/answer.h"

namespace myops::rules {

BOOST_DESCRIBE_STRUCT(KernelRecord, (), (schema, cpp, cpp_symint, registered))

}  // namespace myops::rules

namespace myops::system {

BOOST_DESCRIBE_STRUCT(MeasureOptions, (), (file, schema, torch_dir))
BOOST_DESCRIBE_STRUCT(Registrations, (), (defines, libraries, kernels, fallbacks, dangling, schemas))

namespace {

Reason reason_from(const boost::json::value& value) {
  const auto text = [&](const char* name) { return std::string(value.at(name).as_string()); };
  return {.code = code_from_token(text("code")).value_or(Code::kOpenFailed),
          .subject = text("subject"),
          .expected = text("expected"),
          .found = text("found"),
          .hint = text("hint")};
}

}  // namespace

std::string to_text(const MeasureOptions& options) { return dump(boost::json::value_from(options)); }

Result<MeasureOptions> parse_measure_options(const std::string& text) {
  try {
    return boost::json::value_to<MeasureOptions>(boost::json::parse(text));
  } catch (const std::exception& error) {
    return Reason{.code = Code::kBadOption,
                  .subject = "the measuring child's argument",
                  .expected = "a JSON object with file, schema and torch_dir",
                  .found = error.what(),
                  .hint = "let `myops stamp` start it"};
  }
}

std::string to_text(const Result<Registrations>& measured) {
  boost::json::object answer;
  if (measured) answer["measured"] = boost::json::value_from(*measured);
  if (!measured) answer["reason"] = rules::to_json(measured.error());
  return dump(answer);
}

Result<Registrations> parse_measured(const std::string& text, const std::string& file) {
  try {
    const auto answer = boost::json::parse(text);
    if (const auto* reason = answer.as_object().if_contains("reason")) return reason_from(*reason);
    return boost::json::value_to<Registrations>(answer.at("measured"));
  } catch (const std::exception&) {
    return Reason{
        .code = Code::kOpenFailed,
        .subject = file,
        .expected = "to be opened in a process of its own without ending it",
        .found = "the process ended by itself before the measurement was done",
        .hint = "look for a constructor in it, or in what it needs, that ends the process or closes its output"};
  }
}

}  // namespace myops::system

#include "loader/system/stamp_exchange.h"

#include <nlohmann/json.hpp>

#include "loader/rules/report.h"

namespace myops::rules {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelRecord, schema, cpp, cpp_symint, registered)

}  // namespace myops::rules

namespace myops::system {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasureOptions, file, schema, torch_dir)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Registrations, defines, libraries, kernels, fallbacks, dangling, schemas)

namespace {

using nlohmann::json;

Reason reason_from(const json& value) {
  const auto code = code_from_token(value.at("code").get<std::string>());
  return {.code = code.value_or(Code::kOpenFailed),
          .subject = value.at("subject"),
          .expected = value.at("expected"),
          .found = value.at("found"),
          .hint = value.at("hint")};
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string to_text(const MeasureOptions& options) { return dump(options); }

Result<MeasureOptions> parse_measure_options(const std::string& text) {
  try {
    return json::parse(text).get<MeasureOptions>();
  } catch (const json::exception& error) {
    return Reason{.code = Code::kBadOption,
                  .subject = "the measuring child's argument",
                  .expected = "a JSON object with file, schema and torch_dir",
                  .found = error.what(),
                  .hint = "let `myops stamp` start it"};
  }
}

std::string to_text(const Result<Registrations>& measured) {
  return dump(measured ? json{{"measured", *measured}} : json{{"reason", rules::to_json(measured.error())}});
}

Result<Registrations> parse_measured(const std::string& text, const std::string& file) {
  try {
    const auto answer = json::parse(text);
    if (answer.contains("reason")) return reason_from(answer["reason"]);
    return answer.at("measured").get<Registrations>();
  } catch (const json::exception&) {
    return Reason{
        .code = Code::kOpenFailed,
        .subject = file,
        .expected = "to be opened in a process of its own without ending it",
        .found = "the process ended by itself before the measurement was done",
        .hint = "look for a constructor in it, or in what it needs, that ends the process or closes its output"};
  }
}

}  // namespace myops::system

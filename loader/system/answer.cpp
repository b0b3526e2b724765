#include "loader/system/answer.h"

namespace myops::system {
namespace {

std::string plain(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : dump(value);
}

}  // namespace

Answer report_answer(const rules::Report& report, rules::Detail detail, Status status) {
  Answer answer{status, rules::to_json(report)};
  answer.json["text"] = rules::to_text(report, detail);
  return answer;
}

Answer error_answer(const Reason& reason, Status status) {
  Answer answer;
  answer.status = status;
  answer.json["format"] = 1;
  answer.json["error"] = rules::to_json(reason);
  answer.json["text"] = to_text(reason);
  return answer;
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<std::string> member_text(const std::string& json, const std::string& name) {
  const auto object = nlohmann::ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains(name)) return std::nullopt;
  const auto& value = object[name];
  if (!value.is_array()) return plain(value);
  std::string lines;
  for (const auto& item : value) {
    if (!lines.empty()) lines += '\n';
    lines += plain(item);
  }
  return lines;
}

}  // namespace myops::system

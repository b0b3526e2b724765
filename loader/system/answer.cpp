#include "loader/system/answer.h"

namespace myops::system {

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

}  // namespace myops::system

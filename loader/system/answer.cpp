#include "loader/system/answer.h"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "loader/printable.h"

namespace myops::system {
namespace {

boost::json::storage_ptr memory_of_one_answer() {
  return boost::json::make_shared_resource<boost::json::monotonic_resource>();
}

std::string plain(const boost::json::value& value) {
  const auto* text = value.if_string();
  return text ? std::string(*text) : dump(value);
}

}  // namespace

Answer report_answer(const rules::Report& report, rules::Detail detail, Status status) {
  Answer answer{status, rules::to_json(report, memory_of_one_answer())};
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

std::string text_of(const Answer& answer) {
  const auto* text = answer.json.if_contains("text");
  return text && text->is_string() ? std::string(text->get_string()) : "";
}

std::string dump(const boost::json::value& json) { return valid_utf8(boost::json::serialize(json)); }

std::string dump(const boost::json::object& json) { return valid_utf8(boost::json::serialize(json)); }

std::optional<std::string> member_text(const std::string& json, const std::string& name) {
  boost::json::error_code failed;
  const boost::json::value answer =
      boost::json::parse(json, failed, memory_of_one_answer());  // nothing deep: it is written again
  const auto* object = failed ? nullptr : answer.if_object();
  const auto* value = object ? object->if_contains(name) : nullptr;
  if (!value) return std::nullopt;
  const auto* items = value->if_array();
  if (!items) return plain(*value);
  std::string lines;
  bool first = true;
  for (const auto& item : *items) {
    if (!std::exchange(first, false)) lines += '\n';
    lines += plain(item);
  }
  return lines;
}

}  // namespace myops::system

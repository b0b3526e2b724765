#include "loader/cli/page.h"

#include <string_view>

#include "loader/cli/page/template.h"

namespace myops::cli {
namespace {

// Text between tags (HTML standard, 13.2.5.1): "<" and "&" are all that could end it.
std::string as_html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char byte : text) {
    switch (byte) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += byte;
    }
  }
  return out;
}

// In a script element no character reference is read, and "</script" or "<!--" within a string would end or change it
// (HTML standard, 4.12.1.3). In JSON these characters stand in strings alone, where they may be written as escapes.
std::string as_data_block(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char byte : text) {
    switch (byte) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += byte;
    }
  }
  return out;
}

}  // namespace

std::string page_of(const nlohmann::ordered_json& report, const std::string& text) {
  std::string page(kPageBeforeText);
  page += as_html_text(text);
  page += kPageBeforeData;
  page += as_data_block(report);
  page += kPageAfterData;
  return page;
}

}  // namespace myops::cli

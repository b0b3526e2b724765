#include "loader/cli/page.h"

#include <string_view>

#include "loader/cli/page/template.h"

namespace myops::cli {
namespace {

// With these in place of the three characters that mean something in HTML.
std::string escaped(std::string_view text, std::string_view less, std::string_view greater,
                    std::string_view ampersand) {
  std::string out;
  out.reserve(text.size());
  for (const char byte : text) {
    if (byte == '<') {
      out += less;
    } else if (byte == '>') {
      out += greater;
    } else if (byte == '&') {
      out += ampersand;
    } else {
      out += byte;
    }
  }
  return out;
}

// Text between tags (HTML standard, 13.2.5.1): "<" and "&" are all that could end it.
std::string as_html_text(std::string_view text) { return escaped(text, "&lt;", "&gt;", "&amp;"); }

// In a script element no character reference is read, and "</script" or "<!--" within a string would end or change it
// (HTML standard, 4.12.1.3). In JSON these characters stand in strings alone, where they may be written as escapes.
std::string as_data_block(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return escaped(text, "\\u003c", "\\u003e", "\\u0026");
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

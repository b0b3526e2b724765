#include "loader/rules/text_table.h"

#include <algorithm>

namespace myops::rules {
namespace {

// Characters, not bytes: those that continue a UTF-8 sequence do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::size_t> column_widths(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (const TableRow& row : rows) {
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], width(row.cells[i]));
  }
  return widths;
}

std::string line(const TableRow& row, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (widths[i] == 0) continue;
    text += "  " + row.cells[i] + std::string(widths[i] - width(row.cells[i]), ' ');
  }
  text.resize(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

std::string table(const std::vector<TableRow>& rows) {
  const auto widths = column_widths(rows);
  std::string text;
  for (const TableRow& row : rows) {
    text += line(row, widths);
    for (const std::string& detail : row.details) text += "        " + detail + "\n";
  }
  return text;
}

}  // namespace myops::rules

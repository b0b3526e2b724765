// Rows of cells in aligned columns, each row with lines indented below it. Pure.
#pragma once

#include <string>
#include <vector>

namespace myops::rules {

struct TableRow {
  std::vector<std::string> cells;
  std::vector<std::string> details;
};

// Two spaces before each row and between columns, eight before a detail; a column that is empty in all rows is left
// out.
std::string table(const std::vector<TableRow>& rows);

}  // namespace myops::rules

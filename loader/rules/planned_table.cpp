#include "loader/rules/planned_table.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loader/printable.h"
#include "loader/rules/plan.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

struct Cell {
  const Verdict* library = nullptr;
  bool planned = false;
};

struct Row {
  std::string schema;
  Cell definition;
  std::map<std::string, Cell> kernels;
};

struct Table {
  std::map<std::string, Row> operators;
  std::map<std::string, Cell> fallbacks;
};

boost::json::object cell_json(const Cell& cell) {
  return {{"library", valid_utf8(cell.library->name)},
          {"level", valid_utf8(cell.library->cpu_level)},
          {"path", valid_utf8(cell.library->file.path)},
          {"planned", cell.planned}};
}

boost::json::object cells_json(const std::map<std::string, Cell>& cells) {
  boost::json::object json;
  for (const auto& [key, cell] : cells) json[valid_utf8(key)] = cell_json(cell);
  return json;
}

boost::json::object row_json(const Row& row) {
  return {{"schema", valid_utf8(row.schema)},
          {"defined_by", row.definition.library ? boost::json::value(cell_json(row.definition)) : nullptr},
          {"kernels", cells_json(row.kernels)}};
}

// Who comes first stays.
void add(Table& table, const Cell& cell) {
  const Manifest& manifest = *cell.library->manifest;
  for (const std::string& schema : manifest.defines) {
    Row& row = table.operators[std::string(operator_of(schema))];
    if (row.definition.library) continue;
    row.schema = schema;
    row.definition = cell;
  }
  for (const auto& [key, kernels] : manifest.kernels) {
    for (const auto& [op, record] : kernels) table.operators[op].kernels.try_emplace(key, cell);
  }
  for (const std::string& key : manifest.fallbacks) table.fallbacks.try_emplace(key, cell);
}

}  // namespace

boost::json::object planned_table(const LoadPlan& plan) {
  Table table;
  for (const std::size_t file : plan.order) {
    if (plan.files[file].manifest) add(table, {&plan.files[file], true});
  }
  for (std::size_t file = 0; file < plan.files.size(); ++file) {
    const bool is_planned = std::find(plan.order.begin(), plan.order.end(), file) != plan.order.end();
    if (!is_planned && plan.files[file].manifest) add(table, {&plan.files[file], false});
  }
  boost::json::object operators;
  for (const auto& [op, row] : table.operators) operators[valid_utf8(op)] = row_json(row);
  return {{"operators", std::move(operators)}, {"fallbacks", cells_json(table.fallbacks)}};
}

}  // namespace myops::rules

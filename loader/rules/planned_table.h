// Operators and their dispatch keys as the candidates' manifests have them: what a load of the plan would register, and
// what else the files at hand would. No dispatcher was asked. Pure.
#pragma once

#include <boost/json/object.hpp>

namespace myops::rules {

struct LoadPlan;

// {"operators": {OP: {"schema", "defined_by": CELL | null, "kernels": {KEY: CELL}}}, "fallbacks": {KEY: CELL}}, where
// CELL is {"library", "level", "path", "planned"}. "schema" is "" where no candidate defines the operator. Of several
// libraries for one cell a planned one is named, or, where none is, the first in search order.
boost::json::object planned_table(const LoadPlan& plan);

}  // namespace myops::rules

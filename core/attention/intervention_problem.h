// Checks the interventions of a request.
#pragma once

#include <optional>

#include "core/model/inputs.h"
#include "core/request/problem.h"

namespace headscope {

// The first of the edits, frozen heads, factors and painted cells that names a place that does not exist; nullopt when
// all are right. Interventions that are switched off are not checked.
std::optional<Problem> intervention_problem(const Request& request, const Inputs& inputs);

}  // namespace headscope

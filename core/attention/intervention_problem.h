// What is wrong with the interventions of a request.
#pragma once

#include <optional>

#include "core/model/inputs.h"
#include "core/request/problem.h"

namespace headscope {

// Edits, frozen heads, factors and painted cells whose places are not there. What is switched off is not looked at.
std::optional<Problem> intervention_problem(const Request& request, const Inputs& inputs);

}  // namespace headscope

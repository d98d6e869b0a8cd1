// Problems of a request that show only when files are read and tokens are known.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/inputs.h"
#include "core/request/memory.h"
#include "core/request/problem.h"

namespace headscope {

// find_problem(request) once files are read and tokens are known: shapes that do not fit each other, a mask that does
// not broadcast, stages of more than `memory_limit` bytes. nullopt when the request can run.
std::optional<Problem> find_problem(const Request& request, const Inputs& inputs,
                                    std::int64_t memory_limit = kDefaultMemoryLimit);

}  // namespace headscope

// What cannot run although the options alone could, said once files are read and tokens are known.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/inputs.h"
#include "core/request/memory.h"
#include "core/request/problem.h"

namespace headscope {

// find_problem(request) once files are read and tokens are known: shapes that do not fit each other, a mask that does
// not broadcast, a memory need above `memory_limit` bytes of stages.
std::optional<Problem> find_problem(const Request& request, const Inputs& inputs,
                                    std::int64_t memory_limit = kDefaultMemoryLimit);

}  // namespace headscope

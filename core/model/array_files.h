// Reads the arrays of --set, --add and --project-out. Internal to core/model.
#pragma once

#include <memory>

#include "core/model/input_cache_state.h"
#include "core/model/own_arrays.h"
#include "core/request/request.h"

namespace headscope {

// Returns the arrays of the interventions that are on; null where there are none. Error for a file that cannot be read,
// or whose numbers are not those that a session was saved with.
std::shared_ptr<const OwnArrays> load_own_arrays(const Request& request, InputCache::State& cache);

}  // namespace headscope

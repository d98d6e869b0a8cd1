// What a card computes against what the processor does, before anybody relies on it.
#pragma once

#include <cstdint>

#include "core/backend/backend.h"
#include "core/backend/backend_factory.h"

namespace headscope {

// Computes causal attention of `heads` heads of 64 features over made-up tokens by `backend` and by the CPU. Throws
// BackendError where a weight or a number of the context differs by more than rounding makes of it.
void check_attention(const Backend& backend, std::int64_t heads, std::int64_t tokens);

}  // namespace headscope

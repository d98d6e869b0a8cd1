// Reads, draws and tokenizes everything that a request names.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/model/input_cache.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// Error when the files of the checkpoint that was loaded last have changed on disk: they are read while a forward runs.
void check_checkpoint_files(InputCache& cache);

// Tokenizes, draws or reads everything. find_problem(request) must be nullopt. Throws Error when a file cannot be read
// or is malformed, and UsageError (core/base/error.h) when shapes of files and options contradict each other;
// Cancelled, after which the cache can serve the next request.
Inputs load_inputs(const Request& request, InputCache& cache, const CancelToken& cancel = {});

// How that call read files which could have been read otherwise: one sentence each.
std::vector<std::string> readings_of_files(InputCache& cache);

}  // namespace headscope

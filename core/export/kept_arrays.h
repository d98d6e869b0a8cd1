// A session keeps the hashes of the user's own arrays, and the numbers of small ones.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/io/json_value.h"
#include "core/request/request.h"

namespace headscope {

// This is the key beside a request's options: [{file, sha256, shape, values}], where shape and values may be missing.
inline constexpr const char* kKeptArrays = "arrays";

// Returns the request of a trace with the hashes of its arrays, and the numbers of small ones: what is saved of it.
Request kept_request(const Trace& trace);

// Returns that list for the arrays of a request whose hash is known (with_kept_arrays()), each file once; "" without
// them.
std::string kept_arrays_json(const Request& request);

// Gives the arrays of the request what the list, which may be null, says of their files. Error, which names `what` and
// the key, for a list that is none, and for a file that no intervention names.
void read_kept_arrays(const JsonValue* list, const std::string& what, Request& request);

}  // namespace headscope

// This file words that a session's picture was made with other weights than its model has now.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// other_weights_sentence() of the recipe that --session names and the trace of the command's own request; "" without a
// session, and of one that comes through a pipe, which can be read only once. Reads the weights that the recipe's hash
// covers. Throws Error for a session that cannot be read, and Cancelled.
std::string other_weights_notice(const Arguments& given, const Trace& trace, const CancelToken& cancel);

// Says of A, the other result of a difference or a sweep, whether its weights changed since its recipe was made: the
// recipe that --against names, or the part of --session that describes A.
std::string other_weights_of_against(const Arguments& given, const Trace& against, const CancelToken& cancel);

// Says with the result of a command what other_weights_notice() finds and what the trace says of itself
// (trace_notices()). Returns what of it the trace does not say, and that the model is the default or drawn: the
// manifest says both.
std::vector<std::string> said_of_run(const Arguments& given, const Trace& trace, const CancelToken& cancel);

// Says with the command's result what other_weights_of_against() found.
void say_of_against(const Arguments& given, const Trace& against, const CancelToken& cancel);

}  // namespace headscope::cli

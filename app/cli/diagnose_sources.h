// `diagnose` finds its two sides here: the numbers of the request, and the files of theirs that they are compared with.
#pragma once

#include <memory>
#include <vector>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/request/request.h"

namespace headscope::cli {

// The words of the request: without a source of its own, one --theirs file that holds queries, keys and values too is
// the --query; and a --layout of bhsd or bshd without queries, keys and values from files says the axes of theirs
// alone.
Arguments words_of_request(const Arguments& given);

struct Compared {
  std::shared_ptr<const Trace> ours;
  std::vector<ExternalStage> theirs;
};

// Computes the request and reads theirs. Where --layout does not fit both, it says the axes of theirs alone. What was
// read in one of several ways is said with the result. UsageError where files and stages are not as many, or a file
// does not say which stage it is; ProblemError and Error as the engine and the readers throw them.
Compared compared(const Arguments& given, const Request& request, const CancelToken& cancel);

}  // namespace headscope::cli

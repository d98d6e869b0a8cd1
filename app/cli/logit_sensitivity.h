// `sensitivity --stage logits`: what every token of the input does to a logit.
#pragma once

#include <vector>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// Whether the arguments of `sensitivity` ask for a logit, and not for a cell of a stage of one layer. UsageError for an
// option of logits beside another stage.
bool asks_for_logit(const Arguments& given);

// The options that belong to --stage logits alone.
std::vector<OptionSpec> logit_options();

// Computes and prints it. UsageError for missing and unknown options, and as input_attribution().
void run_logit_sensitivity(const Arguments& given, const CancelToken& cancel);

}  // namespace headscope::cli

// What a model predicts, as the terminal shows it.
#pragma once

#include <string>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"

namespace headscope::cli {

// A table of tokens a position, and a line with the loss; with interventions also what they were without, and a table
// of what each alone does to the token that is most probable without any.
std::string predictions_text(const PredictionReport& report, const Trace& trace);

}  // namespace headscope::cli

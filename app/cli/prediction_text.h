// A model's predictions as text for the terminal.
#pragma once

#include <string>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"

namespace headscope::cli {

// One table of tokens for every position, and a line with the loss. With interventions also the probabilities without
// them, and a table of the effect of each alone on the token that is most probable without any.
std::string predictions_text(const PredictionReport& report, const Trace& trace);

}  // namespace headscope::cli

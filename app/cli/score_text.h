// What `score` prints: who wrote a score.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/explain/score_writers.h"

namespace headscope::cli {

// The strongest pairs and the strongest writers on either side, the sum and the score itself.
std::string score_text(const Trace& trace, const ScoreQuestion& question, const ScoreWriters& found);

// {total, sum, difference, scale, layer, head, query, key, by, queries: [{name, layer, head}], keys, terms: [[]]}
std::string score_json(const Trace& trace, const ScoreQuestion& question, const ScoreWriters& found);

}  // namespace headscope::cli

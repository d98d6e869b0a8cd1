// How much of a result was computed for it, and not taken from the result before it.
#pragma once

#include <optional>
#include <string>

#include "core/attention/trace.h"

namespace headscope {

// The first stage whose numbers were computed, where every stage before it is that of the result before. nullopt: the
// forward began at its beginning, or nothing had to be computed. Numbers of a stage whose first rows were taken from
// the result before count as computed.
std::optional<StageId> computed_from(const Trace& trace);

// The same in words, as a part of a sentence after "forward 2.1 ms": "from weights on"; "1 of 40 tokens new" where only
// the rows of new tokens were computed, under a mask that looks back only; "Q, K, V of 1 of 40 tokens new" where every
// row of weights had to be computed, as without such a mask; "no token new" and "Q, K, V kept" where the tokens are the
// first ones of those before. "" where all of it was computed, or nothing.
std::string computed_words(const Trace& trace);

}  // namespace headscope

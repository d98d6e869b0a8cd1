// Texts of two parts, as models that compare sentences get them: which links go from which part to which.
#pragma once

#include <optional>

#include "core/attention/trace.h"
#include "core/heads/sentence_pair.h"
#include "core/tensor/shape.h"

namespace headscope {

// The position where the second part begins: with a second phrase its first token, else the first token of another type
// than the first one's, else what follows the first separator ([SEP], or </s> ones) when a token other than separators
// and padding follows. Nothing for one part, and with a key phrase, where queries and keys are two texts already.
std::optional<std::int64_t> second_part(const Trace& trace);

// The queries and keys of such links. UsageError, beginning "--sentences: ", when the text has one part.
struct LinkRegion {
  Range queries, keys;
};
LinkRegion link_region(const Trace& trace, SentencePair pair);

}  // namespace headscope

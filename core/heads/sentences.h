// Texts of two parts, as models that compare sentences get them: the arcs from one part to another.
#pragma once

#include <optional>

#include "core/attention/trace.h"
#include "core/heads/sentence_pair.h"
#include "core/tensor/shape.h"

namespace headscope {

// The position where the second part begins: with a second phrase its first token, else the first token whose token
// type differs from the first token's, else the position after the first separators ([SEP] or </s>) when a token other
// than separators and padding follows. nullopt for a text of one part, and with a key phrase, where queries and keys
// are two texts already.
std::optional<std::int64_t> second_part(const Trace& trace);

// The queries and keys of the arcs of `pair`. UsageError, beginning "--sentences: ", when the text has one part.
struct ArcRegion {
  Range queries, keys;
};
ArcRegion arc_region(const Trace& trace, SentencePair pair);

}  // namespace headscope

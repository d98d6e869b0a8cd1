// The vectors of the heads of one phrase. Internal to core/corpus.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/corpus/head_record.h"

namespace headscope {

// What is asked for: rows that are drawn of a list, 0 for none, and the numbers a vector of each kind.
struct VectorsWanted {
  std::int64_t points = 0;
  VectorSizes sizes{};
};

// UsageError for sizes that no file holds.
void check_wanted(const VectorsWanted& wanted);

// Adds the head's vectors at all positions of the phrase: of each kind, numbers and products are added up in double
// from the first position to the last, and the phrase's sums to the head's exact ones. Products of two float numbers
// are exact in double, so that a machine that multiplies and adds at once has the same bits. `slots[i]` is the place of
// position i among the rows that were drawn, -1 for none. ProblemError where the layer does not have such vectors, or
// one has a number beyond kLargestNumber or NaN.
void add_vectors(HeadRecord& head, const Trace& trace, const VectorSizes& sizes,
                 const std::vector<std::int64_t>& slots);

}  // namespace headscope

// The examples of a scan as HeadVis shows them: an .hsagg keeps where they stand, and no text; the phrases are run
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/cancel.h"
#include "core/corpus/corpus_record.h"
#include "core/corpus/phrase_list.h"
#include "core/corpus/phrase_model.h"
#include "core/headvis/headvis_tree.h"

namespace headscope {

// Of every row of weights [tokens, tokens] at most the 8 largest that are at least 0.005, at equal ones those of the
// first keys, by query and key.
struct HeadVisWeights {
  std::vector<std::int64_t> indices;
  std::vector<double> values;
  double largest = 0;  // of these with q > 0 and k > 0, as HeadVis's frontend takes it
};
// Takes row q, of as many keys as there are tokens.
void add_row(HeadVisWeights& weights, std::int64_t query, std::span<const float> row);

// The examples of every head of the record, in its order, from the list and the model that were scanned. UsageError
// when either is another one, and Error when a phrase is not the one that was counted; Cancelled. Memory: about 8
// numbers a token of each example.
std::vector<std::vector<HeadVisSequence>> headvis_sequences(
    const CorpusRecord& record, PhraseModel& model, const PhraseList& list,
    const std::function<void(std::int64_t done, std::int64_t of)>& progress, const CancelToken& cancel);

}  // namespace headscope

// The examples of a scan as HeadVis shows them: an .hsagg keeps where they stand, and no text; the phrases are run
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
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

// The examples of all heads; the tokens of a phrase once, however many heads have it.
struct HeadVisSequences {
  struct Kept {
    std::int64_t id = 0, phrase = 0, interval = 0;
    HeadVisWeights weights;
  };
  std::map<std::int64_t, std::vector<std::string>> tokens;  // by the phrase's index in the list
  std::vector<std::vector<Kept>> heads;                     // one a head of the record

  std::size_t size() const { return heads.size(); }
  std::vector<HeadVisSequence> of(std::size_t head) const;
};

// The examples of every head of the record, in its order, from the list and the model that were scanned: the strongest
// phrases with all of their rows, in the last interval, then the rows that were drawn for each tenth of the largest
// weight, the last tenth first, each with its own weights alone, in the interval of its tenth. Of a phrase that is in
// there as a whole the id is its index in the list; of a drawn row list_size + phrase * most_tokens + query, so that no
// two of a head are alike. UsageError when model or list is another one, and Error when a phrase is not the one that
// was counted; Cancelled. Memory: about 8 numbers a token of each strongest phrase, and 8 a drawn row.
HeadVisSequences headvis_sequences(const CorpusRecord& record, PhraseModel& model, const PhraseList& list,
                                   const std::function<void(std::int64_t done, std::int64_t of)>& progress,
                                   const CancelToken& cancel);

}  // namespace headscope

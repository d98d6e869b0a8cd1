// What a scan has counted, as HeadVis shows it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/corpus/corpus_record.h"
#include "core/headvis/headvis_tree.h"

namespace headscope {

// The name that HeadVis has for a metric ("self_attention_score"), or one of the same style for those that it does not
// have; and what it is, in a sentence with its unit.
struct HeadVisMetric {
  CorpusMetric metric;
  std::string_view name, description;
};
const std::vector<HeadVisMetric>& headvis_metrics();

// config.json and scatter_data.json. `with_sequences`: the files of heads have some, and plots and tables of them;
// else tables of what the scan has counted.
HeadVisTree headvis_tree_of(const CorpusRecord& record, bool with_sequences);

// The file of record.heads[head]: its histograms and, of these sequences, how far apart queries and keys are and how
// much attention every token gives (top_query_tokens) and gets (top_key_tokens): sums over all weights of the
// sequences, the 50 largest. Without sequences the distances of single weights are not known (the scan counts rows by
// their mean distance): an empty histogram; and the tables hold rows that give one token 1/2 or more, by the token they
// are of and by the one that gets it, as the scan has counted them over all phrases.
HeadVisHead headvis_head_of(const CorpusRecord& record, std::size_t head, std::vector<HeadVisSequence> sequences);

}  // namespace headscope

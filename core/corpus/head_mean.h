// The means of a head that a record may hold, by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus/corpus_record.h"

namespace headscope {

struct HeadMean {
  std::string key;                     // "max_weight", "repeated_induction", "loss_ablated": in tables and sessions
  std::optional<CorpusMetric> metric;  // of the rows of the phrases; nullopt: of something else
};

// All there are: the metrics, in the order of all_corpus_metrics(); those of kRepeatedMetrics over the rows of repeated
// tokens; the loss, in nats a token, of the sample while the head's context was 0.
const std::vector<HeadMean>& all_head_means();

// The index of the mean of that name in all_head_means(); nullopt: none.
std::optional<std::size_t> head_mean_named(std::string_view key);

// Whether the scan asked for it.
bool holds(const CorpusRecord& record, std::size_t mean);

// Of a head of the record; NaN over no row, no token, and where the record does not hold it.
double head_mean(const CorpusRecord& record, const HeadRecord& head, std::size_t mean);

// A loss of the ablation sample in nats a token: `sum` is CorpusRecord::loss or HeadRecord::ablated_loss. NaN over no
// token.
double mean_loss(const ExactSum& sum, const CorpusRecord& record);
// The same of all phrases: CorpusRecord::phrase_loss.
double mean_phrase_loss(const CorpusRecord& record);

}  // namespace headscope

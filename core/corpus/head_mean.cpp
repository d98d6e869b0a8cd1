#include "core/corpus/head_mean.h"

#include <limits>

namespace headscope {
namespace {

std::size_t first_repeated() {
  return kCorpusMetrics;
}

std::size_t loss_ablated() {
  return kCorpusMetrics + kRepeatedMetrics.size();
}

}  // namespace

const std::vector<HeadMean>& all_head_means() {
  static const std::vector<HeadMean> all = [] {
    std::vector<HeadMean> means;
    for (const CorpusMetric metric : all_corpus_metrics()) {
      means.push_back({std::string(corpus_metric_key(metric)), metric});
    }
    for (const CorpusMetric metric : kRepeatedMetrics) {
      means.push_back({"repeated_" + std::string(corpus_metric_key(metric)), {}});
    }
    means.push_back({"loss_ablated", {}});
    return means;
  }();
  return all;
}

std::optional<std::size_t> head_mean_named(std::string_view key) {
  const std::vector<HeadMean>& all = all_head_means();
  for (std::size_t mean = 0; mean < all.size(); ++mean) {
    if (all[mean].key == key) return mean;
  }
  return std::nullopt;
}

bool holds(const CorpusRecord& record, std::size_t mean) {
  if (mean < first_repeated()) return true;
  return mean < loss_ablated() ? record.facts.repeated > 0 : record.facts.ablation_sample > 0;
}

double head_mean(const CorpusRecord& record, const HeadRecord& head, std::size_t mean) {
  if (!holds(record, mean)) return std::numeric_limits<double>::quiet_NaN();
  if (mean < first_repeated()) return head.mean(all_corpus_metrics()[mean]);
  if (mean < loss_ablated()) return head.repeated.mean(mean - first_repeated());
  return mean_loss(head.ablated_loss, record);
}

double mean_loss(const ExactSum& sum, const CorpusRecord& record) {
  if (record.loss_tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  return sum.value() / static_cast<double>(record.loss_tokens);
}

double mean_phrase_loss(const CorpusRecord& record) {
  if (record.phrase_loss_tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  return record.phrase_loss.value() / static_cast<double>(record.phrase_loss_tokens);
}

}  // namespace headscope

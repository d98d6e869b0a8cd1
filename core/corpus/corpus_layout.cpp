#include "core/corpus/corpus_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headscope {

std::vector<CorpusTensor> corpus_tensors(std::int64_t heads) {
  constexpr auto kMetrics = static_cast<std::int64_t>(kCorpusMetrics);
  constexpr auto kTop = static_cast<std::int64_t>(kMostExamples);
  std::vector<CorpusTensor> all = {{"heads", "I64", {heads, 2}},
                                   {"rows", "U64", {heads}},
                                   {"counts", "U64", {heads, kMetrics}},
                                   {"sums", "U64", {heads, kMetrics, 2}}};
  for (const CorpusMetric metric : all_corpus_metrics()) {
    const auto edges = static_cast<std::int64_t>(histogram_edges(metric).size());
    if (edges == 0) continue;
    all.push_back({fmt::format("histograms.{}", corpus_metric_key(metric)), "U64", {heads, edges - 1}});
  }
  all.push_back({"top.hash", "U64", {heads, kTop}});
  for (const char* name : {"top.phrase", "top.query", "top.key"}) all.push_back({name, "I64", {heads, kTop}});
  all.push_back({"top.value", "F32", {heads, kTop}, 4});
  return all;
}

std::string corpus_metric_list() {
  std::vector<std::string_view> keys;
  for (const CorpusMetric metric : all_corpus_metrics()) keys.push_back(corpus_metric_key(metric));
  return fmt::format("{}", fmt::join(keys, ","));
}

std::string edge_list(CorpusMetric metric) {
  std::string text;
  for (const double edge : histogram_edges(metric)) text += fmt::format("{}{:g}", text.empty() ? "" : ",", edge);
  return text;
}

}  // namespace headscope

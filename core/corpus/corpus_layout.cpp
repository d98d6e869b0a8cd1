#include "core/corpus/corpus_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace headscope {

CorpusSizes sizes_of(const CorpusRecord& record) {
  CorpusSizes sizes;
  sizes.heads = static_cast<std::int64_t>(record.heads.size());
  for (const HeadRecord& head : record.heads) {
    sizes.query_tokens += static_cast<std::int64_t>(head.query_tokens.all().size());
    sizes.key_tokens += static_cast<std::int64_t>(head.key_tokens.all().size());
  }
  sizes.words = static_cast<std::int64_t>(record.words.size());
  for (const auto& [token, text] : record.words) sizes.word_bytes += static_cast<std::int64_t>(text.size());
  return sizes;
}

std::vector<CorpusTensor> corpus_tensors(const CorpusSizes& sizes) {
  const std::int64_t heads = sizes.heads;
  constexpr auto kMetrics = static_cast<std::int64_t>(kCorpusMetrics);
  constexpr auto kTop = static_cast<std::int64_t>(kMostExamples);
  const std::vector<std::int64_t> samples = {heads, static_cast<std::int64_t>(kDeciles),
                                             static_cast<std::int64_t>(kSamplesEach)};
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
  all.push_back({"samples.hash", "U64", samples});
  for (const char* name : {"samples.phrase", "samples.query", "samples.key"}) all.push_back({name, "I64", samples});
  constexpr auto kRepeated = static_cast<std::int64_t>(kRepeatedMetrics.size());
  all.push_back({"repeated.rows", "U64", {heads}});
  all.push_back({"repeated.counts", "U64", {heads, kRepeated}});
  all.push_back({"repeated.sums", "U64", {heads, kRepeated, 2}});
  all.push_back({"loss.tokens", "U64", {1}});
  all.push_back({"loss.sum", "U64", {2}});
  all.push_back({"loss.ablated", "U64", {heads, 2}});
  all.push_back({"pointing", "U64", {heads}});
  for (const auto& [side, tokens] : {std::pair("query_tokens", sizes.query_tokens),  //
                                     std::pair("key_tokens", sizes.key_tokens)}) {
    all.push_back({fmt::format("{}.end", side), "U64", {heads}});
    all.push_back({fmt::format("{}.id", side), "U64", {tokens}});
    all.push_back({fmt::format("{}.rows", side), "U64", {tokens}});
  }
  all.push_back({"words.id", "U64", {sizes.words}});
  all.push_back({"words.end", "U64", {sizes.words}});
  all.push_back({"top.value", "F32", {heads, kTop}, 4});
  all.push_back({"samples.value", "F32", samples, 4});
  all.push_back({"words.text", "U8", {sizes.word_bytes}, 1});
  return all;
}

namespace {

template <typename Metrics>
std::string list_of(const Metrics& metrics) {
  std::vector<std::string_view> keys;
  for (const CorpusMetric metric : metrics) keys.push_back(corpus_metric_key(metric));
  return fmt::format("{}", fmt::join(keys, ","));
}

}  // namespace

std::string corpus_metric_list() {
  return list_of(all_corpus_metrics());
}

std::string repeated_metric_list() {
  return list_of(kRepeatedMetrics);
}

std::string edge_list(CorpusMetric metric) {
  std::string text;
  for (const double edge : histogram_edges(metric)) text += fmt::format("{}{:g}", text.empty() ? "" : ",", edge);
  return text;
}

}  // namespace headscope

#include "core/corpus/corpus_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace headscope {

std::string_view corpus_version_of(const CorpusFacts& facts) {
  if (!facts.patterns) return kVersionWithoutPatterns;
  return facts.architecture.empty() ? kVersionWithoutArchitecture : kCorpusVersion;
}

CorpusSizes sizes_of(const CorpusRecord& record) {
  CorpusSizes sizes;
  sizes.heads = static_cast<std::int64_t>(record.heads.size());
  for (const HeadRecord& head : record.heads) {
    sizes.query_tokens += static_cast<std::int64_t>(head.query_tokens.all().size());
    sizes.key_tokens += static_cast<std::int64_t>(head.key_tokens.all().size());
  }
  sizes.words = static_cast<std::int64_t>(record.words.size());
  for (const auto& [token, text] : record.words) sizes.word_bytes += static_cast<std::int64_t>(text.size());
  sizes.vectors = record.facts.vector_sizes;
  sizes.patterns = record.facts.patterns;
  sizes.phrase_loss = record.facts.phrase_loss;
  sizes.points = static_cast<std::int64_t>(record.points.size());
  for (const PointPlace& place : record.points) sizes.point_bytes += static_cast<std::int64_t>(place.text.size());
  return sizes;
}

namespace {

bool has_vectors(const CorpusSizes& sizes) {
  return std::any_of(sizes.vectors.begin(), sizes.vectors.end(), [](std::int64_t size) { return size > 0; });
}

// Those of 8 bytes a number.
void add_vector_sums(const CorpusSizes& sizes, std::vector<CorpusTensor>& all) {
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    const std::int64_t size = sizes.vectors[kind];
    if (size == 0) continue;
    const std::string_view key = vector_kind_key(all_vector_kinds()[kind]);
    all.push_back({fmt::format("vectors.{}.sums", key), "U64", {sizes.heads, size, 2}});
    all.push_back({fmt::format("vectors.{}.products", key), "U64", {sizes.heads, size * (size + 1) / 2, 2}});
  }
  if (!has_vectors(sizes)) return;
  for (const char* name : {"points.phrase", "points.position"}) all.push_back({name, "I64", {sizes.points}});
  for (const char* name : {"points.token", "points.hash", "points.end"}) all.push_back({name, "U64", {sizes.points}});
}

void add_vector_points(const CorpusSizes& sizes, std::vector<CorpusTensor>& all) {
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    if (sizes.vectors[kind] == 0) continue;
    const std::string name = fmt::format("vectors.{}.points", vector_kind_key(all_vector_kinds()[kind]));
    all.push_back({name, "F32", {sizes.heads, sizes.points, sizes.vectors[kind]}, 4});
  }
}

}  // namespace

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
  if (sizes.phrase_loss) {
    all.push_back({"phrase_loss.tokens", "U64", {1}});
    all.push_back({"phrase_loss.sum", "U64", {2}});
  }
  all.push_back({"pointing", "U64", {heads}});
  if (sizes.patterns) {
    constexpr auto kParts = static_cast<std::int64_t>(kPatternParts);
    all.push_back({"pattern.rows", "U64", {heads, kParts}});
    all.push_back({"pattern.sums", "U64", {heads, kParts, kParts, 2}});
  }
  for (const auto& [side, tokens] : {std::pair("query_tokens", sizes.query_tokens),  //
                                     std::pair("key_tokens", sizes.key_tokens)}) {
    all.push_back({fmt::format("{}.end", side), "U64", {heads}});
    all.push_back({fmt::format("{}.id", side), "U64", {tokens}});
    all.push_back({fmt::format("{}.rows", side), "U64", {tokens}});
  }
  all.push_back({"words.id", "U64", {sizes.words}});
  all.push_back({"words.end", "U64", {sizes.words}});
  add_vector_sums(sizes, all);
  all.push_back({"top.value", "F32", {heads, kTop}, 4});
  all.push_back({"samples.value", "F32", samples, 4});
  add_vector_points(sizes, all);
  all.push_back({"words.text", "U8", {sizes.word_bytes}, 1});
  if (has_vectors(sizes)) all.push_back({"points.text", "U8", {sizes.point_bytes}, 1});
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

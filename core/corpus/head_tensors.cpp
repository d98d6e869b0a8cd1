#include "core/corpus/head_tensors.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {
namespace {

MeanPattern pattern_at(std::size_t h, const PlacedTensors& tensors) {
  MeanPattern pattern;
  for (std::size_t k = 0; k < pattern.rows.size(); ++k) {
    pattern.rows[k] = tensors.at<std::uint64_t>("pattern.rows", h * pattern.rows.size() + k);
  }
  for (std::size_t k = 0; k < pattern.sums.size(); ++k) {
    pattern.sums[k] = tensors.sum_at("pattern.sums", h * pattern.sums.size() + k);
  }
  return pattern;
}

RepeatedRecord repeated_at(std::size_t h, const PlacedTensors& tensors) {
  RepeatedRecord repeated;
  repeated.rows = tensors.at<std::uint64_t>("repeated.rows", h);
  for (std::size_t k = 0; k < kRepeatedMetrics.size(); ++k) {
    const std::size_t place = h * kRepeatedMetrics.size() + k;
    repeated.counts[k] = tensors.at<std::uint64_t>("repeated.counts", place);
    repeated.sums[k] = tensors.sum_at("repeated.sums", place);
  }
  return repeated;
}

struct Places {
  std::size_t first = 0, count = 0;  // in the tensors of a list
};

// A list of at most so many examples; nullopt where one stands behind the last one.
std::optional<std::vector<CorpusExample>> examples_at(const std::string& list, const Places& places,
                                                      const PlacedTensors& tensors) {
  std::vector<CorpusExample> examples;
  CorpusExample none;
  none.phrase = -1;
  bool ended = false;
  for (std::size_t k = places.first; k < places.first + places.count; ++k) {
    const CorpusExample example{tensors.at<float>(list + ".value", k), tensors.at<std::uint64_t>(list + ".hash", k),
                                tensors.at<std::int64_t>(list + ".phrase", k),
                                tensors.at<std::int64_t>(list + ".query", k),
                                tensors.at<std::int64_t>(list + ".key", k)};
    ended = ended || example.phrase < 0;
    if (ended && example != none) return std::nullopt;
    if (!ended) examples.push_back(example);
  }
  return examples;
}

void read_metrics(HeadRecord& head, std::size_t h, const PlacedTensors& tensors) {
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    const std::size_t place = h * kCorpusMetrics + k;
    head.counts[k] = tensors.at<std::uint64_t>("counts", place);
    head.sums[k] = tensors.sum_at("sums", place);
    const std::string name = fmt::format("histograms.{}", corpus_metric_key(all_corpus_metrics()[k]));
    const std::size_t bins = head.histograms[k].size();
    for (std::size_t bin = 0; bin < bins; ++bin) {
      head.histograms[k][bin] = tensors.at<std::uint64_t>(name, h * bins + bin);
    }
  }
}

}  // namespace

std::string read_head_counts(HeadRecord& head, std::size_t h, const PlacedTensors& tensors, bool patterns) {
  constexpr const char* kBehind = "an example stands behind the last one";
  head.rows = tensors.at<std::uint64_t>("rows", h);
  read_metrics(head, h, tensors);
  auto top = examples_at("top", {h * kMostExamples, kMostExamples}, tensors);
  if (!top) return kBehind;
  head.top = *std::move(top);
  for (std::size_t d = 0; d < kDeciles; ++d) {
    auto rows = examples_at("samples", {(h * kDeciles + d) * kSamplesEach, kSamplesEach}, tensors);
    if (!rows) return kBehind;
    head.samples[d] = *std::move(rows);
  }
  head.pointing = tensors.at<std::uint64_t>("pointing", h);
  if (patterns) head.pattern = pattern_at(h, tensors);
  head.repeated = repeated_at(h, tensors);
  head.ablated_loss = tensors.sum_at("loss.ablated", h);
  return "";
}

}  // namespace headscope

#include "core/corpus/head_tensors.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/io/bytes.h"

namespace headscope {
namespace {

template <typename Number>
Number number_at(const std::byte* begin, std::size_t index) {
  return load<Number>(begin + index * sizeof(Number));
}

// Of a tensor [..., 2].
ExactSum exact_sum_at(const std::byte* begin, std::size_t index) {
  return {number_at<std::uint64_t>(begin, 2 * index), number_at<std::uint64_t>(begin, 2 * index + 1)};
}

}  // namespace

HeadTensors::HeadTensors(const PlacedTensors& tensors, bool patterns)
    : heads_(tensors.begin_of("heads")),
      rows_(tensors.begin_of("rows")),
      counts_(tensors.begin_of("counts")),
      sums_(tensors.begin_of("sums")),
      pointing_(tensors.begin_of("pointing")),
      ablated_(tensors.begin_of("loss.ablated")),
      repeated_rows_(tensors.begin_of("repeated.rows")),
      repeated_counts_(tensors.begin_of("repeated.counts")),
      repeated_sums_(tensors.begin_of("repeated.sums")),
      top_(places_of("top", tensors)),
      samples_(places_of("samples", tensors)) {
  if (patterns) {
    pattern_rows_ = tensors.begin_of("pattern.rows");
    pattern_sums_ = tensors.begin_of("pattern.sums");
  }
  for (const CorpusMetric metric : all_corpus_metrics()) {
    if (histogram_edges(metric).empty()) continue;
    histograms_[static_cast<std::size_t>(metric)] =
        tensors.begin_of(fmt::format("histograms.{}", corpus_metric_key(metric)));
  }
}

HeadTensors::Places HeadTensors::places_of(const std::string& list, const PlacedTensors& tensors) {
  return {tensors.begin_of(list + ".value"), tensors.begin_of(list + ".hash"), tensors.begin_of(list + ".phrase"),
          tensors.begin_of(list + ".query"), tensors.begin_of(list + ".key")};
}

// A list of at most `count` examples; false where one stands behind the last one.
bool HeadTensors::read_places(const Places& places, std::size_t first, std::size_t count,
                              std::vector<CorpusExample>& to) {
  CorpusExample none;
  none.phrase = -1;
  bool ended = false;
  for (std::size_t k = first; k < first + count; ++k) {
    const CorpusExample example{number_at<float>(places.value, k), number_at<std::uint64_t>(places.hash, k),
                                number_at<std::int64_t>(places.phrase, k), number_at<std::int64_t>(places.query, k),
                                number_at<std::int64_t>(places.key, k)};
    ended = ended || example.phrase < 0;
    if (ended && example != none) return false;
    if (!ended) to.push_back(example);
  }
  return true;
}

void HeadTensors::read_metrics(std::size_t h, HeadRecord& head) const {
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    const std::size_t place = h * kCorpusMetrics + k;
    head.counts[k] = number_at<std::uint64_t>(counts_, place);
    head.sums[k] = exact_sum_at(sums_, place);
    const std::size_t bins = head.histograms[k].size();
    for (std::size_t bin = 0; bin < bins; ++bin) {
      head.histograms[k][bin] = number_at<std::uint64_t>(histograms_[k], h * bins + bin);
    }
  }
}

void HeadTensors::read_pattern(std::size_t h, MeanPattern& pattern) const {
  for (std::size_t k = 0; k < pattern.rows.size(); ++k) {
    pattern.rows[k] = number_at<std::uint64_t>(pattern_rows_, h * pattern.rows.size() + k);
  }
  for (std::size_t k = 0; k < pattern.sums.size(); ++k) {
    pattern.sums[k] = exact_sum_at(pattern_sums_, h * pattern.sums.size() + k);
  }
}

void HeadTensors::read_repeated(std::size_t h, RepeatedRecord& repeated) const {
  repeated.rows = number_at<std::uint64_t>(repeated_rows_, h);
  for (std::size_t k = 0; k < kRepeatedMetrics.size(); ++k) {
    const std::size_t place = h * kRepeatedMetrics.size() + k;
    repeated.counts[k] = number_at<std::uint64_t>(repeated_counts_, place);
    repeated.sums[k] = exact_sum_at(repeated_sums_, place);
  }
}

std::string HeadTensors::read(std::size_t h, HeadRecord& head) const {
  head = HeadRecord(number_at<std::int64_t>(heads_, 2 * h), number_at<std::int64_t>(heads_, 2 * h + 1));
  head.rows = number_at<std::uint64_t>(rows_, h);
  read_metrics(h, head);
  bool ends = read_places(top_, h * kMostExamples, kMostExamples, head.top);
  for (std::size_t d = 0; d < kDeciles && ends; ++d) {
    ends = read_places(samples_, (h * kDeciles + d) * kSamplesEach, kSamplesEach, head.samples[d]);
  }
  if (!ends) return "an example stands behind the last one";
  head.pointing = number_at<std::uint64_t>(pointing_, h);
  if (pattern_rows_ != nullptr) read_pattern(h, head.pattern);
  read_repeated(h, head.repeated);
  head.ablated_loss = exact_sum_at(ablated_, h);
  return "";
}

}  // namespace headscope

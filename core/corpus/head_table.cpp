#include "core/corpus/head_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace headscope {
namespace {

std::size_t place_of(const std::vector<std::int64_t>& sorted, std::int64_t value) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

void sort_each_once(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Range of one mean, and its standardised values where it is a metric.
void add_mean(HeadTable& table, std::size_t mean) {
  const std::size_t count = table.heads.size();
  const std::span<const double> values = table.of(mean);
  HeadTable::Range range;
  double sum = 0, low = 0, high = 0;
  std::size_t defined = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = defined == 0 ? value : std::min(low, value);
    high = defined == 0 ? value : std::max(high, value);
    sum += value;
    ++defined;
  }
  range.undefined = static_cast<std::int64_t>(count - defined);
  if (defined > 0) {
    range.low = low;
    range.high = high;
  }
  table.ranges.push_back(range);
  if (mean >= table.compared) return;
  const double middle = defined > 0 ? sum / static_cast<double>(defined) : 0;
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - middle) * (value - middle);
  }
  const double spread = defined > 0 ? std::sqrt(squares / static_cast<double>(defined)) : 0;
  for (std::size_t head = 0; head < count; ++head) {
    const bool known = std::isfinite(values[head]) && spread > 0;
    table.standardised[head * table.compared + mean] =
        known ? static_cast<float>((values[head] - middle) / spread) : 0.0F;
  }
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return sum;
}

}  // namespace

std::span<const double> HeadTable::of(std::size_t mean) const {
  return {means.data() + mean * heads.size(), heads.size()};
}

std::optional<std::size_t> HeadTable::find(std::int64_t layer, std::int64_t head) const {
  const auto found = std::lower_bound(
      heads.begin(), heads.end(), Head{layer, head, 0, 0},
      [](const Head& a, const Head& b) { return a.layer != b.layer ? a.layer < b.layer : a.head < b.head; });
  if (found == heads.end() || found->layer != layer || found->head != head) return std::nullopt;
  return static_cast<std::size_t>(found - heads.begin());
}

std::size_t HeadTable::beside(std::size_t head, std::int64_t rows, std::int64_t columns) const {
  const Head& from = heads[head];
  const auto last_row = static_cast<std::int64_t>(layers.size()) - 1;
  const std::int64_t row = std::clamp<std::int64_t>(static_cast<std::int64_t>(from.row) + rows, 0, last_row);
  const std::int64_t layer = layers[static_cast<std::size_t>(row)];
  const auto begin = std::partition_point(heads.begin(), heads.end(), [&](const Head& h) { return h.layer < layer; });
  const auto end = std::partition_point(begin, heads.end(), [&](const Head& h) { return h.layer == layer; });
  if (rows == 0) {
    const auto at = (heads.begin() + static_cast<std::ptrdiff_t>(head)) - begin;
    const std::int64_t to = std::clamp<std::int64_t>(at + columns, 0, (end - begin) - 1);
    return static_cast<std::size_t>((begin - heads.begin()) + to);
  }
  const auto wanted = static_cast<std::int64_t>(from.column) + columns;
  const auto nearest = std::min_element(begin, end, [&](const Head& a, const Head& b) {
    return std::abs(static_cast<std::int64_t>(a.column) - wanted) <
           std::abs(static_cast<std::int64_t>(b.column) - wanted);
  });
  return static_cast<std::size_t>(nearest - heads.begin());
}

std::int64_t HeadTable::rank(std::size_t mean, std::size_t head) const {
  const std::span<const double> values = of(mean);
  if (!std::isfinite(values[head])) return 0;
  return 1 + std::count_if(values.begin(), values.end(), [&](double value) { return value > values[head]; });
}

namespace {

// Rows and columns of the grid, once the heads are known.
void add_places(HeadTable& table) {
  for (const HeadTable::Head& head : table.heads) {
    table.layers.push_back(head.layer);
    table.numbers.push_back(head.head);
  }
  sort_each_once(table.layers);
  sort_each_once(table.numbers);
  for (HeadTable::Head& head : table.heads) {
    head.row = place_of(table.layers, head.layer);
    head.column = place_of(table.numbers, head.head);
  }
}

void add_ranges(HeadTable& table) {
  table.standardised.resize(table.heads.size() * table.compared);
  for (std::size_t mean = 0; mean < table.keys.size(); ++mean) add_mean(table, mean);
}

}  // namespace

namespace {

constexpr std::size_t kPatternCells = kPatternParts * kPatternParts;

std::vector<float> patterns_of(const CorpusRecord& record) {
  std::vector<float> patterns;
  std::array<double, kPatternCells> middle{};
  if (!record.facts.patterns) return patterns;
  const auto count = static_cast<double>(record.heads.size());
  for (const HeadRecord& head : record.heads) {
    const auto means = head.pattern.means();
    for (std::size_t k = 0; k < kPatternCells; ++k) {
      if (std::isfinite(means[k])) middle[k] += means[k] / count;
    }
  }
  for (const HeadRecord& head : record.heads) {
    const auto means = head.pattern.means();
    for (std::size_t k = 0; k < kPatternCells; ++k) {
      patterns.push_back(std::isfinite(means[k]) ? static_cast<float>(means[k] - middle[k]) : 0.0F);
    }
  }
  return patterns;
}

}  // namespace

HeadTable head_table(const CorpusRecord& record) {
  HeadTable table;
  for (const HeadRecord& head : record.heads) table.heads.push_back({head.layer, head.head, 0, 0});
  add_places(table);
  table.compared = kCorpusMetrics;
  for (std::size_t mean = 0; mean < all_head_means().size(); ++mean) {
    table.keys.push_back(all_head_means()[mean].key);
    table.held.push_back(holds(record, mean));
    for (const HeadRecord& head : record.heads) table.means.push_back(head_mean(record, head, mean));
  }
  for (const CorpusMetric metric : all_corpus_metrics()) {
    std::vector<double>& mean = table.mean_shares.emplace_back();
    for (const HeadRecord& head : record.heads) {
      const std::vector<double> shares = bin_shares(head, metric);
      mean.resize(shares.size());
      for (std::size_t bin = 0; bin < shares.size(); ++bin) {
        mean[bin] += shares[bin] / static_cast<double>(record.heads.size());
      }
    }
  }
  add_ranges(table);
  table.patterns = patterns_of(record);
  return table;
}

HeadTable head_table(const std::vector<LayerHead>& heads, std::vector<HeadColumn> columns) {
  HeadTable table;
  for (const LayerHead& head : heads) table.heads.push_back({head.layer, head.head, 0, 0});
  add_places(table);
  table.compared = columns.size();
  for (HeadColumn& column : columns) {
    table.keys.push_back(std::move(column.key));
    table.held.push_back(true);
    table.means.insert(table.means.end(), column.values.begin(), column.values.end());
  }
  add_ranges(table);
  return table;
}

std::optional<std::size_t> HeadTable::mean_named(std::string_view key) const {
  for (std::size_t mean = 0; mean < keys.size(); ++mean) {
    if (keys[mean] == key && held[mean]) return mean;
  }
  return std::nullopt;
}

std::span<const float> standardised_of(const HeadTable& table, std::size_t head) {
  return {table.standardised.data() + head * table.compared, table.compared};
}

double cosine_of(std::span<const float> a, std::span<const float> b) {
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));
  return lengths > 0 ? std::clamp(dot(a, b) / lengths, -1.0, 1.0) : 0;
}

std::vector<SimilarHead> heads_like(const HeadTable& table, std::size_t head, std::size_t most, AlikeBy by) {
  if (by == AlikeBy::pattern && table.patterns.empty()) return {};
  const auto compared = [&](std::size_t k) {
    return by == AlikeBy::pattern ? std::span(table.patterns).subspan(k * kPatternCells, kPatternCells)
                                  : standardised_of(table, k);
  };
  const std::span<const float> own = compared(head);
  std::vector<SimilarHead> others;
  for (std::size_t k = 0; k < table.heads.size(); ++k) {
    if (k != head) others.push_back({k, cosine_of(own, compared(k))});
  }
  const std::size_t shown = std::min(most, others.size());
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(shown), others.end(),
                    [](const SimilarHead& a, const SimilarHead& b) {
                      return a.cosine != b.cosine ? a.cosine > b.cosine : a.head < b.head;
                    });
  others.resize(shown);
  return others;
}

std::vector<double> bin_shares(const HeadRecord& head, CorpusMetric metric) {
  const std::vector<std::uint64_t>& counts = head.histograms[static_cast<std::size_t>(metric)];
  double all = 0;
  for (const std::uint64_t count : counts) all += static_cast<double>(count);
  std::vector<double> shares;
  for (const std::uint64_t count : counts) shares.push_back(all > 0 ? static_cast<double>(count) / all : 0);
  return shares;
}

}  // namespace headscope

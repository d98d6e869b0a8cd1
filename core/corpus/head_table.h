// The heads of a record as numbers to draw and to compare: their means, their places in a grid, and which are alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus/corpus_record.h"
#include "core/corpus/head_mean.h"
#include "core/request/interventions.h"

namespace headscope {

struct HeadTable {
  struct Head {
    std::int64_t layer = 0, head = 0;
    std::size_t row = 0, column = 0;  // indices in `layers` and `numbers`
    friend bool operator==(const Head&, const Head&) = default;
  };
  std::vector<Head> heads;            // as in the record: sorted by layer and head
  std::vector<std::int64_t> layers;   // those that have heads, increasing: the rows of a grid
  std::vector<std::int64_t> numbers;  // of heads, increasing: its columns
  std::vector<std::string> keys;      // of the means: all_head_means(), or the metrics of HeadVis's folder
  std::vector<double> means;          // [keys][heads]; NaN over no row, and of what no scan asked for
  std::size_t compared = 0;           // so many of the first means say how alike two heads are
  // [heads][compared]: (mean - m) / s, with the mean m and the standard deviation s (over n, not n - 1) of the mean's
  // finite values; 0 where the head has none, and where s is 0.
  std::vector<float> standardised;
  std::vector<bool> held;  // one a mean: whether the scan asked for it
  // [heads][kPatternParts^2]: MeanPattern::means() less the mean pattern of all heads, 0 where a head has no row; empty
  // where there are no patterns.
  std::vector<float> patterns;
  // Of the finite values of each mean; {0, 1} where there are none.
  struct Range {
    double low = 0, high = 1;
    std::int64_t undefined = 0;  // heads without a value
  };
  std::vector<Range> ranges;
  // [kCorpusMetrics][bins]: the mean over heads of the share of their rows in each bin; empty without a histogram, and
  // for HeadVis's folder.
  std::vector<std::vector<double>> mean_shares;

  // By the index in `keys`, which begin with the metrics of CorpusMetric where an .hsagg was read.
  std::span<const double> of(std::size_t mean) const;
  double mean(std::size_t mean, std::size_t head) const { return of(mean)[head]; }
  double mean(CorpusMetric metric, std::size_t head) const { return mean(static_cast<std::size_t>(metric), head); }
  // The index in `keys`; nullopt: there is no mean of that name, or the scan did not ask for it.
  std::optional<std::size_t> mean_named(std::string_view key) const;
  // The index of a head; nullopt: the record does not have it.
  std::optional<std::size_t> find(std::int64_t layer, std::int64_t head) const;
  // 1 for the largest value of the mean, and one more for every head with a larger one; 0 where it is undefined.
  std::int64_t rank(std::size_t mean, std::size_t head) const;
  std::int64_t rank(CorpusMetric metric, std::size_t head) const {
    return rank(static_cast<std::size_t>(metric), head);
  }
  // So many rows down and columns to the right, as far as there are heads; in another row the nearest column that has
  // one.
  std::size_t beside(std::size_t head, std::int64_t rows, std::int64_t columns) const;
};

HeadTable head_table(const CorpusRecord& record);

// One mean of all heads.
struct HeadColumn {
  std::string key;
  std::vector<double> values;  // one a head; NaN: it has none
};
// Of heads sorted by layer and head, each once. All means are held and compared; there are no histograms.
HeadTable head_table(const std::vector<LayerHead>& heads, std::vector<HeadColumn> columns);

// The standardised values of a head, and how alike two heads are: a . b / (|a| |b|), 0 where one of them is all 0.
std::span<const float> standardised_of(const HeadTable& table, std::size_t head);
double cosine_of(std::span<const float> a, std::span<const float> b);

struct SimilarHead {
  std::size_t head = 0;
  double cosine = 0;  // in [-1, 1]
  friend bool operator==(const SimilarHead&, const SimilarHead&) = default;
};

// What two heads are compared by: their standardised means, or where they look from where.
enum class AlikeBy { means, pattern };

// At most `most` other heads, the most alike first by cosine_of() of their standardised means or of their `patterns`,
// equal ones in the table's order. None by patterns that the table does not have.
std::vector<SimilarHead> heads_like(const HeadTable& table, std::size_t head, std::size_t most,
                                    AlikeBy by = AlikeBy::means);

// The share of the head's rows in each bin of the metric's histogram; all 0 where it counted none.
std::vector<double> bin_shares(const HeadRecord& head, CorpusMetric metric);

}  // namespace headscope

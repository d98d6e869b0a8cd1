// What the file of a record holds of each head, but its tokens and vectors. Internal to core/corpus.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/corpus/head_record.h"
#include "core/corpus/vector_tensors.h"

namespace headscope {

// Where these tensors begin, looked up once for all heads.
class HeadTensors {
 public:
  HeadTensors(const PlacedTensors& tensors, bool patterns);

  // Reads the head at place h of `heads`. Returns why it cannot be; "" when it can.
  std::string read(std::size_t h, HeadRecord& head) const;

 private:
  // Of a list of examples.
  struct Places {
    const std::byte *value, *hash, *phrase, *query, *key;
  };
  static Places places_of(const std::string& list, const PlacedTensors& tensors);
  static bool read_places(const Places& places, std::size_t first, std::size_t count, std::vector<CorpusExample>& to);
  void read_metrics(std::size_t h, HeadRecord& head) const;
  void read_pattern(std::size_t h, MeanPattern& pattern) const;
  void read_repeated(std::size_t h, RepeatedRecord& repeated) const;

  const std::byte *heads_, *rows_, *counts_, *sums_, *pointing_, *ablated_;
  const std::byte *repeated_rows_, *repeated_counts_, *repeated_sums_;
  const std::byte *pattern_rows_ = nullptr, *pattern_sums_ = nullptr;  // null: there are none
  std::array<const std::byte*, kCorpusMetrics> histograms_{};          // null: the metric has none
  Places top_, samples_;
};

}  // namespace headscope

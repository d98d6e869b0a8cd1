// The tensors and keys of an .hsagg, for its reader and its writer. Internal to core/corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus/corpus_record.h"

namespace headscope {

inline constexpr std::string_view kCorpusFormat = "headscope-corpus", kCorpusVersion = "4";
// The same without the model's settings, and without patterns besides: read, and written of what has none.
inline constexpr std::string_view kVersionWithoutArchitecture = "3", kVersionWithoutPatterns = "2";
// That of a record: the highest whose parts it has.
std::string_view corpus_version_of(const CorpusFacts& facts);

// How many of each a file holds: of a side, the tokens of all heads together.
struct CorpusSizes {
  std::int64_t heads = 0, query_tokens = 0, key_tokens = 0, words = 0, word_bytes = 0;
  VectorSizes vectors{};  // all 0 where the scan did not ask for points; then there are no tensors of them
  std::int64_t points = 0, point_bytes = 0;
  bool patterns = true, phrase_loss = false;
};
CorpusSizes sizes_of(const CorpusRecord& record);

// A tensor of the file: numbers of 8 bytes, of 4 (F32) or of 1 (U8).
struct CorpusTensor {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::size_t bytes_each = 8;
};

// All of them, in the order in which their values lie in the file.
std::vector<CorpusTensor> corpus_tensors(const CorpusSizes& sizes);

// "entropy,distance,...": the columns of `counts` and `sums`.
std::string corpus_metric_list();
std::string repeated_metric_list();
// "0,0.25,0.5,..."; the metric has a histogram.
std::string edge_list(CorpusMetric metric);

}  // namespace headscope

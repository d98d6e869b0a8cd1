// What two models do otherwise over a corpus, as JSON and as a table.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/corpus/corpus_difference.h"
#include "core/corpus/corpus_record.h"

namespace headscope {

// {a:{model, sha256, tokenizer}, b, phrases, tokens, list:{size, sha256, scanned}, phrase_loss:{a, b, difference}
// (null: not in both), notes:[..], means:[{mean, spread}],
//  heads:[{layer, head, rows_a, rows_b, share, farthest,
//          means:{entropy:{a, b, difference, share, rows_a, rows_b}, ...}}]}
// Heads as CorpusDifference has them, the farthest apart first; `difference` is a - b.
nlohmann::ordered_json difference_json(const CorpusRecord& a, const CorpusRecord& b, const CorpusDifference& found);

// layer,head,mean,a,b,difference,share,rows_a,rows_b: a line a head and mean, by falling share, then by layer, head and
// the order of means.
std::string difference_csv(const CorpusDifference& found);

// A mean of a head, by indices.
struct FarMean {
  std::size_t head = 0, mean = 0;
};

// In the order of difference_csv().
std::vector<FarMean> farthest_means(const CorpusDifference& found);

// Writes differences.csv into the folder, which is made where it is missing; returns its name. Error for files.
std::string write_difference_table(const std::string& folder, const CorpusDifference& found);

}  // namespace headscope

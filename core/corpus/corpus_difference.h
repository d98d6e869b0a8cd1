// Two models over the same phrases, head by head: what each head does otherwise, from what two scans have counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/corpus/corpus_record.h"

namespace headscope {

// Why two records cannot be held beside each other, A first: "the lists of phrases differ: of 12 phrases in A, of 10 in
// B"; "" where they can. Model, weights, settings and tokenizer may differ; the list, what is scanned of it, the tokens
// that are read of a phrase, the phrases and tokens that were counted, and the heads may not.
std::string unlike_corpora_sentence(const CorpusRecord& a, const CorpusRecord& b);

// A mean of a head (head_mean.h) in both.
struct ComparedMean {
  double a = 0, b = 0;                   // NaN over no row
  std::uint64_t rows_a = 0, rows_b = 0;  // that they are means of; of loss_ablated tokens
  double share = 0;  // |a - b| / CorpusDifference::Mean::spread: 0 where a and b are equal, or both undefined; infinite
                     // where one of them is
  double difference() const { return a - b; }
};

struct CorpusDifference {
  struct Mean {
    std::string key;    // "entropy", "repeated_induction"
    double spread = 0;  // the standard deviation (over n, not n - 1) of the mean over all heads of A and of B
  };
  struct Head {
    std::int64_t layer = 0, head = 0;
    std::uint64_t rows_a = 0, rows_b = 0;
    std::vector<ComparedMean> numbers;  // one for each of `means`
    // The largest share, and which of `means` it is of, the first of equal ones.
    std::size_t farthest = 0;
    double share() const { return numbers[farthest].share; }
  };
  std::vector<Mean> means;  // those that both hold, in the order of all_head_means()
  std::vector<Head> heads;  // by falling share, then by layer and head
  // Sentences about what is not as it may seem: the same model twice, other tokenizers, means that one alone holds.
  std::vector<std::string> notes;
};

// Asserts that unlike_corpora_sentence() finds nothing. A file holds no sums of squares, so that no standard error of a
// mean is known.
CorpusDifference corpus_difference(const CorpusRecord& a, const CorpusRecord& b);

}  // namespace headscope

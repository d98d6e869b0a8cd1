// A sweep over many pairs of texts: what every part carries on the mean, and how surely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/base/cancel.h"
#include "core/sweep/sweep_cells.h"
#include "core/sweep/text_pairs.h"

namespace headscope {

struct PairQuestion {
  // patched has the model and everything but the text; source and by_place are not read. Its metric may name the tokens
  // of a pair by the words `answer` and `other`, as in "logit:answer-other"; "recovered" is that of this difference.
  // `at` is that of pairs which give none.
  SweepQuestion sweep;
  std::string file;  // that the pairs are of, for messages
  std::vector<TextPair> pairs;
};

// Of n numbers x: their mean m; the standard error of it, sqrt(sum (x - m)^2 / (n - 1) / n), nullopt of one number; the
// share of the x whose sign (-, 0, +) is that of m.
struct PairStatistics {
  double mean = 0;
  std::optional<double> standard_error;
  double same_sign = 0;
};
PairStatistics pair_statistics(const std::vector<double>& numbers);

struct PairCell {
  SweepCell cell;         // its place
  PairStatistics value;   // of the metric after the patch; of estimates alone of these
  PairStatistics change;  // of that less the pair's own unpatched run
};

struct PairSweep {
  Sweep first;             // of the first pair
  PairStatistics patched;  // the metric of the runs that are patched, without a patch
  PairStatistics source;   // of those whose numbers are put in
  std::vector<PairCell> cells;
  std::int64_t pairs = 0;
};

// The metric of one pair: the words `answer` and `other`, where a token stands, are the ids of its tokens. Error, which
// names the file and the line, where the pair has no such token.
std::string metric_of_pair(const std::string& metric, const std::string& answer, const std::string& other);

// A sweep for every pair, whose corrupt text takes the clean one's numbers (of SweepDirection::noise the clean one
// those of the corrupt one), position by position. `progress` gets the share that is done. Error, which names the file
// and the line, for a pair whose texts have not the same number of tokens, or that cannot run: a text that the model
// does not take, a token that is none, a position that is not there. UsageError as sweep(), and for positions of texts
// that are not equally long in all pairs.
PairSweep pair_sweep(EngineOptions options, const PairQuestion& question, const CancelToken& cancel,
                     const std::function<void(double share)>& progress = {});

}  // namespace headscope

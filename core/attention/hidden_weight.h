// The weight that cells hold although the mask hides them: where a finite fill is not far below the scores, or numbers
// were put there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/mask.h"

namespace headscope {

struct HiddenWeight {
  // The trace's mask with the cells that hold weight as visible and marked. Of weights that are computed when read no
  // cell is hidden, and every one that the mask hides is marked.
  std::shared_ptr<const Mask> shown;
  // What the hidden cells hold of all weight of the rows (batch, head, query) in which they hold some, and the query
  // positions of these rows, increasing, each once. Of weights that are computed when read some rows are looked at.
  double share = 0;
  std::vector<std::int64_t> queries;
  bool of_some_rows = false;
};

// From the trace's mask and its stage `weights`. Rows whose every key is hidden do not count: fully_masked_rows says
// what becomes of them. Null when no hidden cell holds weight; of weights that are computed when read, when none can by
// the lengths of queries and keys. Throws Cancelled.
std::shared_ptr<const HiddenWeight> hidden_weight_of(const Trace& trace, const CancelToken& cancel = {});

// "hidden cells hold 0.62 of the weight of rows 0 to 4: the fill -1e5 is not below the scores"; "" where they hold
// nothing.
std::string hidden_weight_sentence(const Trace& trace);
// What hidden cells hold of the weight of one row of `weights`; 0 where they hold nothing.
double hidden_share(const Trace& trace, std::int64_t b, std::int64_t h, std::int64_t i, std::span<const float> weights);

// How many keys the weights of a row are of: the visible ones, and the hidden ones that hold weight. 0 in rows whose
// every key is hidden.
std::int64_t weighed_keys(const Trace& trace, std::int64_t b, std::int64_t h, std::int64_t i);

// "-1e5", "-1e20", "-12.5": a fill as people write it.
std::string fill_text(double fill);

}  // namespace headscope

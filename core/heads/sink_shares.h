// What a head's learned sink takes of each row: what the row's weights lack of 1.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// The numbers of the stage sink_weights [batch, heads, query_len] for one batch item and head, read some rows at a
// time, since each is computed from a row of scores.
class SinkShares {
 public:
  SinkShares(const Trace& trace, std::int64_t batch, std::int64_t head);

  // Of row i; nothing where no sink takes part: the head has none, or its weights are frozen.
  std::optional<double> of(std::int64_t i);

 private:
  Tensor shares_;
  bool takes_part_ = false;
  std::int64_t batch_ = 0, head_ = 0, begin_ = 0;
  std::vector<float> read_;  // of the rows from begin_ on
};

}  // namespace headscope

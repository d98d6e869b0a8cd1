#include "core/backend/far_rows.h"

#include <algorithm>

namespace headscope {

FarRows::FarRows(float* memory, std::int64_t rows, std::int64_t stride)
    : memory_(memory), rows_(rows), stride_(stride) {}

void FarRows::write(Range keys) const {
  const KeySpans all{{0, keys.size()}, {keys.size(), keys.size()}};
  for (std::int64_t number = 0; number < rows_; ++number) {
    float* const to = row(number) + keys.begin;
    multiply_cells_to(gathered(number, keys.begin), all, 1.0F, to, keys.size(), true);
  }
}

void FarRows::read(std::int64_t number, const KeySpans& spans, float* to) const {
  const float* const from = row(number);
  for (const KeySpan& span : {spans.first, spans.second}) {
    if (span.size() > 0) std::copy(from + span.begin, from + span.end, to + span.begin);
  }
}

}  // namespace headscope

#include "core/circuits/token_circuits.h"

#include <string>

#include "core/base/assert.h"
#include "core/circuits/embedded_tokens.h"

namespace headscope {

TokenCircuit token_circuit(const Checkpoint& checkpoint, const TokenQuestion& question, NormFolding folding,
                           const CancelToken& cancel) {
  const HeadMaps maps = head_maps(checkpoint, question.layer, folding);
  const EmbeddedTokens tokens(checkpoint, question.layer, folding);
  HEADSCOPE_ASSERT(0 <= question.head && question.head < maps.heads(), std::to_string(question.head));
  const std::int64_t head = question.head, group = maps.group_of(head);
  const std::vector<double> own = tokens.of(question.id);
  const double scale = score_scale_in(checkpoint.architecture(), question.layer);
  const std::vector<double> as_query = matrix_times(maps.key, group, matrix_times(maps.query, head, own, false), true),
                            as_key = matrix_times(maps.query, head, matrix_times(maps.key, group, own, false), true);
  LargestScores keys(question.top), queries(question.top), writes(question.top);
  visit_blocks(tokens.count(), cancel, [&](std::int64_t begin, std::int64_t end) {
    visit_rows(tokens.rows(begin, end), tokens.width(), begin, [&](std::int64_t id, std::span<const double> y) {
      keys.add(id, scale * dot_product(as_query, y));
      queries.add(id, scale * dot_product(as_key, y));
    });
  });
  const TokenDecoder decoder(checkpoint, folding);
  if (!decoder.empty()) {
    const std::vector<double> direction =
        decoder.direction(matrix_times(maps.output, head, matrix_times(maps.value, group, own, false), true));
    visit_blocks(decoder.count(), cancel, [&](std::int64_t begin, std::int64_t end) {
      visit_rows(decoder.rows(begin, end), std::ssize(direction), begin,
                 [&](std::int64_t id, std::span<const double> row) { writes.add(id, dot_product(row, direction)); });
    });
  }
  return {keys.take(), queries.take(), writes.take()};
}

}  // namespace headscope

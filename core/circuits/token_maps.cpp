#include "core/circuits/token_maps.h"

#include <cstddef>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/circuits/embedded_tokens.h"

namespace headscope {
namespace {

Tensor map_of(std::int64_t side, std::vector<float> values) {
  return Tensor::of({side, side}, {Axis::query, Axis::key}, std::move(values));
}

}  // namespace

TokenMaps token_maps(const Checkpoint& checkpoint, const TokenMapsQuestion& question, NormFolding folding,
                     const CancelToken& cancel) {
  const HeadMaps maps = head_maps(checkpoint, question.layer, folding);
  HEADSCOPE_ASSERT(0 <= question.head && question.head < maps.heads(), std::to_string(question.head));
  const EmbeddedTokens tokens(checkpoint, question.layer, folding);
  const TokenDecoder decoder(checkpoint, folding);
  const std::int64_t head = question.head, group = maps.group_of(head), side = std::ssize(question.ids);
  const double scale = score_scale_in(checkpoint.architecture(), question.layer);
  std::vector<std::vector<double>> queries, keys, written, decoder_rows;
  for (const std::int64_t id : question.ids) {
    cancel.check();
    const std::vector<double> y = tokens.of(id);
    queries.push_back(matrix_times(maps.query, head, y, false));
    keys.push_back(matrix_times(maps.key, group, y, false));
    if (decoder.empty()) continue;
    decoder_rows.push_back(decoder.rows(id, id + 1));
    written.push_back(
        decoder.direction(matrix_times(maps.output, head, matrix_times(maps.value, group, y, false), true)));
  }
  std::vector<float> qk, ov;
  for (const std::vector<double>& query : queries) {
    for (const std::vector<double>& key : keys) qk.push_back(static_cast<float>(scale * dot_product(query, key)));
  }
  TokenMaps found{map_of(side, std::move(qk)), {}};
  for (const std::vector<double>& direction : written) {
    cancel.check();
    for (const std::vector<double>& row : decoder_rows) ov.push_back(static_cast<float>(dot_product(row, direction)));
  }
  if (!decoder.empty()) found.ov = map_of(side, std::move(ov));
  return found;
}

}  // namespace headscope

#include "app/session/background/trace_strip.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/attention/stage_layout.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

constexpr std::int64_t kStripRows = 12;
constexpr std::int64_t kStripColumns = 4096;

}  // namespace

Tensor slice_matrix(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice) {
  return matrix_at(heads_first(stage, trace.tensor(stage)), batch, slice);
}

Strip strip_of(const Trace& trace, const std::shared_ptr<const Mask>& mask, StageId stage, std::int64_t batch) {
  const std::int64_t slices = slice_count(trace, stage);
  const Tensor first = slice_matrix(trace, stage, batch, 0);
  const std::int64_t rows = std::min(kStripRows, first.dim(0));
  const std::int64_t width = std::min(first.dim(1), kStripColumns);
  const std::int64_t shown = std::clamp<std::int64_t>(kStripColumns / std::max<std::int64_t>(width, 1), 1, slices);
  std::vector<float> values(static_cast<std::size_t>(rows * width * shown));
  auto hidden = mask ? std::make_shared<Mask>() : nullptr;
  if (hidden) hidden->hidden = HiddenCells(1, 1, rows, width * shown);
  std::vector<float> line(static_cast<std::size_t>(width));
  for (std::int64_t slice = 0; slice < shown; ++slice) {
    const Tensor matrix = slice_matrix(trace, stage, batch, slice);  // a few rows: nothing needs to be stored for them
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t to = row * width * shown + slice * width;
      // Rows spread over the whole, so that a causal mask does not hide all that is seen.
      const std::int64_t from = row * matrix.dim(0) / rows;
      matrix.read(Region{{from, from + 1}, {0, width}}, line);
      std::copy_n(line.begin(), width, values.begin() + to);
      if (!hidden) continue;
      mask->hidden.read_row(batch, slice, from,
                            {hidden->hidden.mutable_row(0, 0, row) + slice * width, static_cast<std::size_t>(width)});
    }
  }
  if (hidden) hidden->hidden.refresh_any();
  Strip strip;
  strip.matrix = Tensor::of({rows, width * shown}, {first.axes()[0], first.axes()[1]}, std::move(values));
  strip.mask = std::move(hidden);
  strip.range = automatic_range(strip.matrix, is_weight_like(stage), true, strip.mask.get());
  return strip;
}

Strip strip_of(const MapPicture& picture, bool weight_like) {
  const std::int64_t rows = std::min(kStripRows, picture.matrix.dim(0)), width = picture.matrix.dim(1);
  PooledPixels lines(rows, width);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t from = row * picture.matrix.dim(0) / rows;
    const PooledPixels line = picture.read({from, from + 1}, {0, width});
    std::copy(line.values.begin(), line.values.end(), lines.values.begin() + row * width);
    std::copy(line.counts.begin(), line.counts.end(), lines.counts.begin() + row * width);
  }
  Strip strip;
  strip.matrix = Tensor::of({rows, width}, {Axis::query, Axis::key}, lines.values);
  strip.mask = hidden_pixels(lines);
  strip.range = automatic_range(strip.matrix, weight_like, true, strip.mask.get());
  return strip;
}

}  // namespace headscope

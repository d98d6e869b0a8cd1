// How the numbers of a stage spread: of small ones slice by slice, of large ones from their pictures.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "app/session/background/trace_numbers.h"
#include "core/attention/stage_layout.h"
#include "core/picture/fitted_range.h"

namespace headscope {

namespace {

// Of what lies on a device, bringing all pixels back would take longer than drawing them: the middle row of so many.
constexpr std::int64_t kSampledSlices = 4;

}  // namespace

// False while a slice has no exact picture.
bool TraceNumbers::add_pictures(SpreadCounts& counts, StageId stage, std::int64_t batch, bool sampled) {
  const std::int64_t slices = slice_count(*trace_, stage);
  const std::int64_t step = std::max<std::int64_t>(1, slices / kSampledSlices);
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    const auto picture =
        maps_ == nullptr ? nullptr
                         : maps_->last_whole(map_key(stage, batch, slice), matrix(stage, batch, slice), Pooling::max);
    if (!picture || !picture->exact() || !picture->failure.empty()) return false;
    const std::int64_t height = picture->matrix.dim(0), width = picture->matrix.dim(1);
    const bool some = sampled && picture->device != nullptr;
    if (some && slice % step != 0) continue;
    const Range rows = some ? Range{height / 2, height / 2 + 1} : Range{0, height};
    const PooledPixels pixels = picture->read(rows, {0, width});
    const std::shared_ptr<const Mask> hidden = hidden_pixels(pixels);
    add_visible(counts, Tensor::of({pixels.rows, pixels.columns}, picture->matrix.axes(), pixels.values), hidden.get());
  }
  return true;
}

const ValueSpread* TraceNumbers::spread(StageId stage, std::int64_t batch, bool sampled) {
  const Slice key{static_cast<std::int64_t>(stage), batch, sampled ? 1 : 0, 0};
  const auto found = spreads_.find(key);
  if (found != spreads_.end()) return &found->second;
  PartSpread& part = part_spreads_[key];
  if (is_large(stage)) {
    SpreadCounts counts;
    if (!add_pictures(counts, stage, batch, sampled)) return nullptr;
    part.counts = std::move(counts);
  } else {
    for (; part.slices < slice_count(*trace_, stage); ++part.slices) {
      const Tensor& numbers = matrix(stage, batch, part.slices);
      if (!afford(numbers.size())) return nullptr;
      add_visible(part.counts, numbers, mask(stage).get(), batch, part.slices);
    }
  }
  const ValueSpread spread = part.counts.result();
  part_spreads_.erase(key);
  return &spreads_.emplace(key, spread).first->second;
}

}  // namespace headscope

#include "app/gl/heatmap_inputs.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "app/gl/shared_picture.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr std::uint8_t kMarkedCell = 2;  // beside 1, hidden, in the texture
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float next_up(float v) {
  return std::nextafter(v, kInfinity);
}
float next_down(float v) {
  return std::nextafter(v, 0.0F);
}

std::array<float, 4> texel_of(const ValueScale& scale) {
  return {scale.low, scale.scale, scale.offset, 0};
}

std::shared_ptr<GlTexture> upload(const Tensor& matrix) {
  const int rows = static_cast<int>(matrix.dim(0)), columns = static_cast<int>(matrix.dim(1));
  const std::int64_t row_step = matrix.strides()[0];
  const bool rows_are_dense = matrix.stored() && matrix.strides()[1] == 1 && row_step >= columns;
  if (rows_are_dense) {
    return std::make_shared<GlTexture>(TexelFormat::r32_float, columns, rows, matrix.data(), row_step);
  }
  const std::vector<float> values = matrix.values();
  return std::make_shared<GlTexture>(TexelFormat::r32_float, columns, rows, values.data());
}

}  // namespace

std::array<float, 256> entry_thresholds(const ValueScale& scale) {
  HEADSCOPE_ASSERT(scale.log, "thresholds are for logarithmic scales");
  std::array<float, 256> thresholds;
  thresholds.fill(kInfinity);
  thresholds[0] = -kInfinity;
  constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
  for (int e = 1; e < 256; ++e) {
    const std::size_t at = static_cast<std::size_t>(e);
    if (scale.entry(most) < e) continue;
    // Where the formula puts it, then to the very float. Values below `least` are 0 on many drivers.
    const float guess = std::exp2(scale.low + (static_cast<float>(e) - 0.5F) / scale.scale);
    float v = std::isfinite(guess) && guess > least ? guess : guess > least ? most : least;
    while (v > least && scale.entry(next_down(v)) >= e) v = next_down(v);
    while (v < most && scale.entry(v) < e) v = next_up(v);
    thresholds[at] = v;
  }
  return thresholds;
}

HeatmapInputs HeatmapInputCache::inputs_of(const HeatmapSpec& spec) {
  HeatmapInputs inputs;
  if (spec.device != nullptr) {
    const auto& shared = dynamic_cast<const SharedPicture&>(*spec.device);
    inputs.values = {spec.device, &shared.values()};
    inputs.hidden = {spec.device, &shared.hidden()};
  } else {
    inputs.values = values_of(spec.matrix);
  }
  const bool some = spec.mask != nullptr && (spec.mask->hidden.any() || spec.mask->marked.any());
  if (some) inputs.hidden = hidden_of(spec);
  inputs.colors = colors_of(spec.map);
  if (spec.range.per_row) {
    const Rows& rows = rows_of(spec);
    inputs.row_scales = rows.scales;
    inputs.thresholds = rows.thresholds;
  } else if (spec.range.log_scale) {
    inputs.thresholds = thresholds_of(value_scale(spec.range));
  }
  return inputs;
}

void HeatmapInputCache::forget_unused() {
  std::erase_if(values_, [](const auto& entry) { return entry.second.texture.use_count() == 1; });
  std::erase_if(hidden_, [](const Hidden& entry) { return entry.texture.use_count() == 1; });
  std::erase_if(rows_, [](const Rows& entry) { return entry.scales.use_count() == 1; });
  std::erase_if(thresholds_, [](const Thresholds& entry) { return entry.texture.use_count() == 1; });
}

std::shared_ptr<GlTexture> HeatmapInputCache::values_of(const Tensor& matrix) {
  const auto [begin, end] = values_.equal_range(matrix.storage());
  for (auto entry = begin; entry != end; ++entry) {
    if (same_storage(entry->second.matrix, matrix)) return entry->second.texture;
  }
  ++uploads_;
  return values_.emplace(matrix.storage(), Values{matrix, upload(matrix)})->second.texture;
}

std::shared_ptr<GlTexture> HeatmapInputCache::hidden_of(const HeatmapSpec& spec) {
  const HiddenCells &cells = spec.mask->hidden, &marked = spec.mask->marked;
  // One texture serves all batch items or heads where neither of the two tells them apart.
  const bool one_batch = cells.batch() == 1 && marked.batch() <= 1,
             one_head = cells.heads() == 1 && marked.heads() <= 1;
  const std::int64_t batch = one_batch ? 0 : spec.batch, head = one_head ? 0 : spec.head;
  for (const Hidden& entry : hidden_) {
    if (entry.mask == spec.mask && entry.batch == batch && entry.head == head) return entry.texture;
  }
  const auto row_bytes = static_cast<std::size_t>(cells.key_len());
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(cells.query_len()) * row_bytes);
  std::vector<std::uint8_t> marks;
  for (std::int64_t i = 0; i < cells.query_len(); ++i) {
    const std::span<std::uint8_t> row = std::span(bytes).subspan(static_cast<std::size_t>(i) * row_bytes, row_bytes);
    cells.read_row(batch, head, i, row);
    if (!marked.any()) continue;
    marks.resize(row_bytes);
    marked.read_row(batch, head, i, marks);
    for (std::size_t j = 0; j < row_bytes; ++j) row[j] = row[j] == 0 && marks[j] != 0 ? kMarkedCell : row[j];
  }
  auto texture = std::make_shared<GlTexture>(TexelFormat::r8_integer, static_cast<int>(cells.key_len()),
                                             static_cast<int>(cells.query_len()), bytes.data());
  hidden_.push_back({spec.mask, batch, head, texture});
  return texture;
}

const HeatmapInputCache::Rows& HeatmapInputCache::rows_of(const HeatmapSpec& spec) {
  const bool diverging = is_diverging(spec.map);
  for (const Rows& entry : rows_) {
    if (same_storage(entry.matrix, spec.matrix) && entry.mask == spec.mask && entry.batch == spec.batch &&
        entry.head == spec.head && entry.diverging == diverging && entry.log_scale == spec.range.log_scale) {
      return entry;
    }
  }
  const std::vector<ValueScale> scales = row_scales(spec, 0, spec.matrix.dim(0));
  const int rows = static_cast<int>(scales.size());
  std::vector<std::array<float, 4>> texels;
  for (const ValueScale& scale : scales) texels.push_back(texel_of(scale));
  Rows entry{spec.matrix, spec.mask, spec.batch, spec.head, diverging, spec.range.log_scale, nullptr, nullptr};
  entry.scales = std::make_shared<GlTexture>(TexelFormat::rgba32_float, 1, rows, texels.data());
  if (spec.range.log_scale) {
    std::vector<std::array<float, 256>> thresholds;
    for (const ValueScale& scale : scales) thresholds.push_back(entry_thresholds(scale));
    entry.thresholds = std::make_shared<GlTexture>(TexelFormat::r32_float, 256, rows, thresholds.data());
  }
  rows_.push_back(std::move(entry));
  return rows_.back();
}

std::shared_ptr<GlTexture> HeatmapInputCache::thresholds_of(const ValueScale& scale) {
  for (const Thresholds& entry : thresholds_) {
    if (entry.scale.low == scale.low && entry.scale.scale == scale.scale) return entry.texture;
  }
  auto texture = std::make_shared<GlTexture>(TexelFormat::r32_float, 256, 1, entry_thresholds(scale).data());
  thresholds_.push_back({scale, texture});
  return texture;
}

std::shared_ptr<GlTexture> HeatmapInputCache::colors_of(ColorMap map) {
  std::shared_ptr<GlTexture>& texture = colors_.at(static_cast<std::size_t>(map));
  if (texture == nullptr) {
    texture = std::make_shared<GlTexture>(TexelFormat::rgba8, 256, 1, color_table(map).data());
  }
  return texture;
}

}  // namespace headscope

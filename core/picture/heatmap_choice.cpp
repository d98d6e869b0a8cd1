// Which of the cells under a pixel it shows.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/backend/pooled_pixels.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {

// What choose_samples() does, first along the columns and then across them, in loops that a compiler makes wide. Not
// where a cell is NaN, and not where it matters which row a value is of.
bool HeatmapPainter::choose_by_columns(const Range& rows, Scratch& scratch) const {
  if (spec_.range.per_row || seen_.size() <= 0) return false;
  constexpr std::uint32_t kInfinity = 0x7F800000U, kMagnitude = 0x7FFFFFFFU;
  const auto count = static_cast<std::size_t>(seen_.size());
  scratch.best.assign(count, -0.0F);
  scratch.visible.assign(count, 0);
  float* const best = scratch.best.data();
  std::uint8_t* const visible = scratch.visible.data();
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const float* const values = row_values(i) + seen_.begin;
    std::uint32_t nan = 0;
    for (std::size_t j = 0; j < count; ++j) {
      nan |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(values[j]) & kMagnitude) > kInfinity);
    }
    if (nan != 0) return false;
    const auto look_at = [&](const Range& cells) {
      const auto end = static_cast<std::size_t>(std::max(cells.begin, cells.end) - seen_.begin);
      for (auto j = static_cast<std::size_t>(cells.begin - seen_.begin); j < end; ++j) {
        best[j] = beats(values[j], best[j]) ? values[j] : best[j];
        visible[j] = 1;
      }
    };
    if (!spec_.mask) {
      look_at(seen_);
    } else if (const auto keys = spec_.mask->hidden.visible_keys(spec_.batch, spec_.head, i)) {
      for (const Range& run : {keys->first, keys->second}) {
        look_at({std::clamp(run.begin, seen_.begin, seen_.end), std::clamp(run.end, seen_.begin, seen_.end)});
      }
    } else {
      const std::uint8_t* const hidden = row_hidden(i, scratch) + seen_.begin;
      for (std::size_t j = 0; j < count; ++j) {
        if (hidden[j] != 0) continue;
        best[j] = beats(values[j], best[j]) ? values[j] : best[j];
        visible[j] = 1;
      }
    }
  }
  for (std::size_t x = 0; x < columns_.size(); ++x) {
    Sample& sample = scratch.samples[x];
    for (std::int64_t j = columns_[x].begin; j < columns_[x].end; ++j) {
      const auto at = static_cast<std::size_t>(j - seen_.begin);
      if (visible[at] == 0) {
        if (sample.kind == Sample::Kind::outside) sample.kind = Sample::Kind::hidden;
      } else if (sample.kind != Sample::Kind::value || beats(best[at], sample.value)) {
        sample = {Sample::Kind::value, best[at], rows.begin};
      }
    }
  }
  return true;
}

// Settles, for every pixel of a line over these rows, what it shows.
void HeatmapPainter::choose_samples(const Range& rows, Scratch& scratch) const {
  scratch.samples.assign(columns_.size(), Sample{});
  if (choose_by_columns(rows, scratch)) return;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const float* values = row_values(i);
    const std::uint8_t* hidden = row_hidden(i, scratch);
    for (std::size_t x = 0; x < columns_.size(); ++x) {
      Sample& sample = scratch.samples[x];
      for (std::int64_t j = columns_[x].begin; j < columns_[x].end; ++j) {
        if (std::isnan(values[j])) {
          sample = {Sample::Kind::nan, values[j], i};
        } else if (sample.kind == Sample::Kind::nan) {
          break;
        } else if (hidden != nullptr && hidden[j] != 0) {
          if (sample.kind == Sample::Kind::outside) sample.kind = Sample::Kind::hidden;
        } else if (sample.kind != Sample::Kind::value || beats(values[j], sample.value)) {
          sample = {Sample::Kind::value, values[j], i};
        }
      }
    }
  }
}

}  // namespace headscope

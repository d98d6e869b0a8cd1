#include "app/ui/panel_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headscope::ui {
namespace {

constexpr std::int64_t kStripRows = 12;
constexpr std::int64_t kStripColumns = 4096;
constexpr int kHistogramBins = 40;

std::array<std::int64_t, 4> slice_key(StageId stage, std::int64_t batch, std::int64_t slice, std::int64_t variant = 0) {
  return {static_cast<std::int64_t>(stage), batch, slice, variant};
}

// The kept value under `key`, made by `make` when there is none.
template <typename Map, typename Key, typename Make>
typename Map::mapped_type& kept(Map& map, const Key& key, const Make& make) {
  const auto found = map.find(key);
  if (found != map.end()) return found->second;
  return map.emplace(key, make()).first->second;
}

Strip strip_of(PanelData& data, StageId stage, std::int64_t batch) {
  const Trace& trace = data.trace();
  const std::int64_t slices = slice_count(trace, stage);
  const Tensor& first = data.matrix(stage, batch, 0);
  const std::int64_t rows = std::min(kStripRows, first.dim(0));
  const std::int64_t width = std::min(first.dim(1), kStripColumns);
  const std::int64_t shown = std::clamp<std::int64_t>(kStripColumns / std::max<std::int64_t>(width, 1), 1, slices);
  const std::shared_ptr<const Mask> mask = data.mask(stage);
  std::vector<float> values(static_cast<std::size_t>(rows * width * shown));
  auto hidden = mask ? std::make_shared<Mask>() : nullptr;
  if (hidden) hidden->hidden = HiddenCells(1, 1, rows, width * shown);
  std::vector<float> line(static_cast<std::size_t>(width));
  for (std::int64_t slice = 0; slice < shown; ++slice) {
    const Tensor& matrix = data.matrix(stage, batch, slice);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t to = row * width * shown + slice * width;
      // Rows spread over the whole, so that a causal mask does not hide all that is seen.
      const std::int64_t from = row * matrix.dim(0) / rows;
      matrix.read(Region{{from, from + 1}, {0, width}}, line);
      std::copy_n(line.begin(), width, values.begin() + to);
      if (!hidden) continue;
      std::memcpy(hidden->hidden.mutable_row(0, 0, row) + slice * width, mask->hidden.row(batch, slice, from),
                  static_cast<std::size_t>(width));
    }
  }
  if (hidden) hidden->hidden.refresh_any();
  Strip strip;
  strip.matrix = Tensor::of({rows, width * shown}, {first.axes()[0], first.axes()[1]}, std::move(values));
  strip.mask = std::move(hidden);
  strip.range = automatic_range(strip.matrix, is_weight_like(stage), true, strip.mask.get());
  return strip;
}

}  // namespace

PanelData::PanelData(std::shared_ptr<const Trace> trace, std::uint64_t version)
    : trace_(std::move(trace)), version_(version) {}

const Tensor& PanelData::matrix(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(matrices_, slice_key(stage, batch, slice), [&] { return slice_matrix(*trace_, stage, batch, slice); });
}

const Statistics& PanelData::statistics(StageId stage) {
  return kept(statistics_, slice_key(stage, -1, -1), [&] { return statistics_of(trace_->tensor(stage)); });
}

const Statistics& PanelData::statistics(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(statistics_, slice_key(stage, batch, slice), [&] { return statistics_of(matrix(stage, batch, slice)); });
}

const Histogram& PanelData::histogram(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(histograms_, slice_key(stage, batch, slice),
              [&] { return histogram_of(matrix(stage, batch, slice), kHistogramBins); });
}

const HeadSummary& PanelData::summary(std::int64_t batch, std::int64_t head) {
  return kept(summaries_, slice_key(StageId::weights, batch, head),
              [&] { return summarize_head(*trace_, batch, head); });
}

const std::string& PanelData::summary_text(std::int64_t batch, std::int64_t head) {
  return kept(summary_texts_, slice_key(StageId::weights, batch, head),
              [&] { return summary_label(summary(batch, head), *trace_); });
}

const Strip& PanelData::strip(StageId stage, std::int64_t batch) {
  return kept(strips_, slice_key(stage, batch, 0), [&] { return strip_of(*this, stage, batch); });
}

const std::vector<std::string>& PanelData::rows(StageId stage) {
  return kept(rows_, stage, [&] { return row_names(*trace_, stage); });
}

const std::vector<std::string>& PanelData::columns(StageId stage) {
  return kept(columns_, stage, [&] { return column_names(*trace_, stage); });
}

std::shared_ptr<const Mask> PanelData::mask(StageId stage) const {
  return stage_hides(*trace_, stage) ? trace_->mask : nullptr;
}

ValueRange PanelData::range(const ViewState& view, StageId stage, std::int64_t batch, std::int64_t slice) {
  const bool weight_like = is_weight_like(stage);
  const bool score_like = is_score_like(stage);
  ValueRange result;
  if (score_like && view.range_fixed) {
    result.low = view.range_low;
    result.high = view.range_high;
  } else if (score_like && view.range_per_head && view.range != RangeKind::row) {
    result = kept(ranges_, slice_key(stage, batch, slice), [&] {
      ValueRange own =
          automatic_range(matrix(stage, batch, slice), false, !weight_like, mask(stage).get(), batch, slice);
      if (weight_like) own.low = 0;
      if (!(own.high > own.low)) own.high = own.low + 1;
      return own;
    });
  } else {
    result = kept(ranges_, slice_key(stage, -1, -1),
                  [&] { return automatic_range(trace_->tensor(stage), weight_like, true, mask(stage).get()); });
  }
  result.per_row = score_like && !view.range_fixed && view.range == RangeKind::row;
  result.log_scale = view.log_scale && weight_like;
  return result;
}

const std::vector<ValueScale>& PanelData::row_scale(StageId stage, std::int64_t batch, std::int64_t slice, ColorMap map,
                                                    bool log_scale) {
  const std::int64_t variant = 1 + 2 * static_cast<std::int64_t>(map) + (log_scale ? 1 : 0);
  return kept(row_scales_, slice_key(stage, batch, slice, variant), [&] {
    HeatmapSpec spec;
    spec.matrix = matrix(stage, batch, slice);
    spec.mask = mask(stage);
    spec.batch = batch;
    spec.head = slice;
    spec.map = map;
    spec.range.per_row = true;
    spec.range.log_scale = log_scale;
    return row_scales(spec, 0, spec.matrix.dim(0));
  });
}

PanelData* panel_data(Ui& ui) {
  std::shared_ptr<const Trace> trace = ui.session.trace();
  if (!trace) {
    ui.state.panel_data.reset();
    return nullptr;
  }
  if (!ui.state.panel_data || ui.state.panel_data->shared_trace() != trace) {
    double& made = ui.state.number["panel_data/made"];
    made += 1;
    ui.state.panel_data = std::make_shared<PanelData>(std::move(trace), static_cast<std::uint64_t>(made));
  }
  return ui.state.panel_data.get();
}

}  // namespace headscope::ui

#include "app/ui/panel_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include "core/picture/figure.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kStripRows = 12;
constexpr std::int64_t kStripColumns = 4096;
constexpr int kHistogramBins = 40;
// Larger stages are gone through slice by slice.
constexpr std::int64_t kAtOnce = 2'000'000;
// About ten milliseconds of walking over numbers.
constexpr std::int64_t kNumbersPerFrame = 3'000'000;

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

}  // namespace

PanelData::PanelData(std::shared_ptr<const Trace> trace, std::uint64_t version)
    : trace_(std::move(trace)), version_(version) {}

const Tensor& PanelData::matrix(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(matrices_, slice_key(stage, batch, slice), [&] { return slice_matrix(*trace_, stage, batch, slice); });
}

void PanelData::begin_frame(std::int64_t most_numbers) {
  budget_ = most_numbers;
  spent_ = 0;
  unfinished_ = false;
}

bool PanelData::afford(std::int64_t numbers) {
  if (spent_ > 0 && spent_ + numbers > budget_) {
    unfinished_ = true;
    return false;
  }
  spent_ += numbers;
  return true;
}

const Statistics* PanelData::statistics(StageId stage) {
  const Slice key = slice_key(stage, -1, -1);
  const auto found = statistics_.find(key);
  if (found != statistics_.end()) return &found->second;
  const Tensor& tensor = trace_->tensor(stage);
  if (tensor.size() <= kAtOnce) {
    if (!afford(tensor.size())) return nullptr;
    return &statistics_.emplace(key, statistics_of(tensor)).first->second;
  }
  std::vector<Statistics> parts;
  const std::int64_t slices = slice_count(*trace_, stage);
  for (std::int64_t batch = 0; batch < tensor.dim(0); ++batch) {
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      const bool known = statistics_.count(slice_key(stage, batch, slice)) > 0;
      if (!known && !afford(matrix(stage, batch, slice).size())) return nullptr;
      parts.push_back(statistics(stage, batch, slice));
    }
  }
  return &statistics_.emplace(key, combined_statistics(parts)).first->second;
}

const Statistics& PanelData::statistics(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(statistics_, slice_key(stage, batch, slice), [&] { return statistics_of(matrix(stage, batch, slice)); });
}

const Histogram& PanelData::histogram(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(histograms_, slice_key(stage, batch, slice),
              [&] { return histogram_of(matrix(stage, batch, slice), kHistogramBins); });
}

const HeadSummary* PanelData::summary(std::int64_t batch, std::int64_t head) {
  const Slice key = slice_key(StageId::weights, batch, head);
  const auto found = summaries_.find(key);
  if (found != summaries_.end()) return &found->second;
  if (!afford(matrix(StageId::weights, batch, head).size())) return nullptr;
  return &summaries_.emplace(key, summarize_head(*trace_, batch, head)).first->second;
}

std::string PanelData::summary_text(std::int64_t batch, std::int64_t head) {
  const HeadSummary* found = summary(batch, head);
  if (found == nullptr) return "…";
  return kept(summary_texts_, slice_key(StageId::weights, batch, head), [&] { return summary_label(*found, *trace_); });
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

const std::shared_ptr<const Mask>& PanelData::mask(StageId stage) {
  return kept(masks_, stage, [&] { return shown_mask(*trace_, stage); });
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
  } else if (stage == StageId::weights) {
    result = {0, 1, false, false};  // what softmax gives, without looking
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

Statistics combined_statistics(const std::vector<Statistics>& parts) {
  Statistics all;
  double finite = 0;
  double sum = 0;
  double squares = 0;
  all.min = all.max = all.mean = all.std = std::numeric_limits<double>::quiet_NaN();
  for (const Statistics& part : parts) {
    all.count += part.count;
    all.nan_count += part.nan_count;
    all.inf_count += part.inf_count;
    const auto own = static_cast<double>(part.count - part.nan_count - part.inf_count);
    if (own == 0) continue;
    all.min = finite == 0 ? part.min : std::min(all.min, part.min);
    all.max = finite == 0 ? part.max : std::max(all.max, part.max);
    finite += own;
    sum += own * part.mean;
    squares += part.l2_norm * part.l2_norm;
  }
  all.l2_norm = std::sqrt(squares);
  if (finite == 0) return all;
  all.mean = sum / finite;
  // Each part's spread about its own mean, and the spread of the means.
  double spread = 0;
  for (const Statistics& part : parts) {
    const auto own = static_cast<double>(part.count - part.nan_count - part.inf_count);
    if (own == 0) continue;
    const double away = part.mean - all.mean;
    spread += own * (part.std * part.std + away * away);
  }
  all.std = std::sqrt(spread / finite);
  return all;
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
  PanelData& data = *ui.state.panel_data;
  const int frame = ImGui::GetFrameCount();
  double& last = ui.state.number["panel_data/frame"];
  if (last != static_cast<double>(frame)) {
    last = static_cast<double>(frame);
    data.begin_frame(kNumbersPerFrame);
  }
  return &data;
}

void ask_for_rest(Ui& ui) {
  if (ui.state.panel_data && ui.state.panel_data->unfinished()) ui.state.wants_frame = true;
}

}  // namespace headscope::ui

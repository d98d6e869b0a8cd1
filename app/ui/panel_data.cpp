#include "app/ui/panel_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/session/session.h"
#include "core/attention/on_demand.h"
#include "core/attention/shown_mask.h"
#include "core/attention/stage_layout.h"
#include "core/picture/figure.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kStripRows = 12;
constexpr std::int64_t kStripColumns = 4096;
constexpr int kHistogramBins = 40;
// Larger stages are gone through slice by slice.
constexpr std::int64_t kAtOnce = 2'000'000;
// Larger slices are drawn from tiles; a matrix that is only computed when read costs more to go through.
constexpr std::int64_t kLargeStored = std::int64_t{4} << 20, kLargeComputed = std::int64_t{1} << 20;
constexpr std::int64_t kLargeSide = 8192;  // what every driver's textures can hold
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
  const Tensor first = slice_matrix(trace, stage, batch, 0);
  const std::int64_t rows = std::min(kStripRows, first.dim(0));
  const std::int64_t width = std::min(first.dim(1), kStripColumns);
  const std::int64_t shown = std::clamp<std::int64_t>(kStripColumns / std::max<std::int64_t>(width, 1), 1, slices);
  const std::shared_ptr<const Mask> mask = data.mask(stage);
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

// The same from a picture of one slice.
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

}  // namespace

PanelData::PanelData(std::shared_ptr<const Trace> trace, std::uint64_t version, MapTiles* maps, SliceNumbers* numbers)
    : trace_(std::move(trace)), version_(version), maps_(maps), numbers_(numbers) {}

bool is_too_large(std::int64_t rows, std::int64_t columns, bool cheap) {
  return rows * columns > (cheap ? kLargeStored : kLargeComputed) || std::max(rows, columns) > kLargeSide;
}

bool PanelData::is_large(StageId stage) {
  return kept(is_large_, stage, [&] {
    const Tensor& tensor = trace_->tensor(stage);
    const MatrixLayout layout = stage_layout(stage);
    const std::int64_t rows = tensor.dim(layout.rows), columns = tensor.dim(layout.columns);
    // A preview's weights are read from stored ones, and look as they do.
    const bool cheap = tensor.stored() || (trace_->preview && is_weight_like(stage));
    return is_too_large(rows, columns, cheap);
  });
}

MapKey PanelData::map_key(StageId stage, std::int64_t batch, std::int64_t slice) const {
  return {version_, stage, batch, slice};
}

PyramidSource PanelData::map_source(StageId stage, std::int64_t batch, std::int64_t slice) {
  PyramidSource source{matrix(stage, batch, slice), mask(stage), batch, slice};
  if (trace_->on_demand != nullptr && is_large(stage)) {
    source.device = kept(devices_, slice_key(stage, batch, slice),
                         [&] { return trace_->on_demand->device_pyramid(stage, batch, slice, trace_->row_edits); });
  }
  if (source.matrix.stored() || is_score_like(stage)) return source;
  // A row of context is a row of scores and as many products with values; the later stages need that of every head.
  const std::int64_t heads = trace_->tensor(stage).rank() == 4 ? 1 : trace_->num_heads();
  source.cost =
      std::max<std::int64_t>(1, 2 * heads * trace_->key_len() / std::max<std::int64_t>(1, source.matrix.dim(1)));
  return source;
}

const Tensor& PanelData::matrix(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(matrices_, slice_key(stage, batch, slice), [&] {
    Tensor matrix = slice_matrix(*trace_, stage, batch, slice);
    return matrix.stored() || is_large(stage) ? matrix : matrix.dense_copy();
  });
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
  const bool large = is_large(stage);
  if (!large && tensor.size() <= kAtOnce) {
    if (!afford(tensor.size())) return nullptr;
    return &statistics_.emplace(key, statistics_of(tensor)).first->second;
  }
  std::vector<Statistics> parts;
  const std::int64_t slices = slice_count(*trace_, stage);
  for (std::int64_t batch = 0; batch < tensor.dim(0); ++batch) {
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      const bool known = large || statistics_.count(slice_key(stage, batch, slice)) > 0;
      if (!known && !afford(matrix(stage, batch, slice).size())) return nullptr;
      const Statistics* part = statistics(stage, batch, slice);
      if (part == nullptr) return nullptr;
      parts.push_back(*part);
    }
  }
  return &statistics_.emplace(key, combined_statistics(parts)).first->second;
}

const SliceNumbers::Numbers* PanelData::known_numbers(StageId stage, std::int64_t batch, std::int64_t slice) {
  const Slice key = slice_key(stage, batch, slice);
  const auto found = large_numbers_.find(key);
  if (found != large_numbers_.end()) return &found->second;
  SliceNumbers::Numbers numbers = large_numbers(stage, batch, slice);
  if (numbers.state != SliceNumbers::State::known) return nullptr;
  return &large_numbers_.emplace(key, std::move(numbers)).first->second;
}

SliceNumbers::Numbers PanelData::large_numbers(StageId stage, std::int64_t batch, std::int64_t slice) const {
  return numbers_ != nullptr ? numbers_->numbers(map_key(stage, batch, slice)) : SliceNumbers::Numbers();
}

void PanelData::ask_for_numbers(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (numbers_ == nullptr) return;
  numbers_->ask(map_key(stage, batch, slice), matrix(stage, batch, slice), kHistogramBins,
                stage == StageId::weights ? trace_ : nullptr);
}

void PanelData::stop_numbers(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (numbers_ != nullptr) numbers_->cancel(map_key(stage, batch, slice));
}

const Statistics* PanelData::statistics(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (is_large(stage)) {
    const SliceNumbers::Numbers* numbers = known_numbers(stage, batch, slice);
    return numbers != nullptr ? &numbers->statistics : nullptr;
  }
  return &kept(statistics_, slice_key(stage, batch, slice), [&] { return statistics_of(matrix(stage, batch, slice)); });
}

const Histogram* PanelData::histogram(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (is_large(stage)) {
    const SliceNumbers::Numbers* numbers = known_numbers(stage, batch, slice);
    return numbers != nullptr ? &numbers->histogram : nullptr;
  }
  return &kept(histograms_, slice_key(stage, batch, slice),
               [&] { return histogram_of(matrix(stage, batch, slice), kHistogramBins); });
}

const HeadSummary* PanelData::summary(std::int64_t batch, std::int64_t head) {
  if (is_large(StageId::weights)) {
    const SliceNumbers::Numbers* numbers = known_numbers(StageId::weights, batch, head);
    return numbers != nullptr && numbers->summary ? &*numbers->summary : nullptr;
  }
  const Slice key = slice_key(StageId::weights, batch, head);
  const auto found = summaries_.find(key);
  if (found != summaries_.end()) return &found->second;
  if (!afford(matrix(StageId::weights, batch, head).size())) return nullptr;
  return &summaries_.emplace(key, summarize_head(*trace_, batch, head)).first->second;
}

std::string PanelData::summary_text(std::int64_t batch, std::int64_t head) {
  const HeadSummary* found = summary(batch, head);
  if (found == nullptr) return is_large(StageId::weights) ? "" : "…";
  return kept(summary_texts_, slice_key(StageId::weights, batch, head), [&] { return summary_label(*found, *trace_); });
}

const Strip& PanelData::strip(StageId stage, std::int64_t batch) {
  const bool costly =
      !trace_->tensor(stage).stored() && is_large(stage) && (is_weight_like(stage) || !is_score_like(stage));
  const Slice key = slice_key(stage, batch, 0);
  if (costly && strips_.count(key) == 0) {
    // The rows of these stages need other rows, too many to compute within a frame: the strip is made from the stage's
    // picture.
    static const Strip none;
    const auto picture =
        maps_ != nullptr ? maps_->last_whole(map_key(stage, batch, 0), matrix(stage, batch, 0), Pooling::max) : nullptr;
    if (!picture) return none;
    return strips_.emplace(key, strip_of(*picture, is_weight_like(stage))).first->second;
  }
  return kept(strips_, slice_key(stage, batch, 0), [&] { return strip_of(*this, stage, batch); });
}

const std::vector<std::string>& PanelData::rows(StageId stage) {
  // Stages share the names of their side.
  const StageId like = rows_are_keys(stage) ? StageId::key : StageId::query;
  return kept(rows_, like, [&] { return row_names(*trace_, stage); });
}

const std::vector<std::string>& PanelData::columns(StageId stage) {
  const StageId like = is_score_like(stage) ? StageId::key : StageId::query;
  return kept(columns_, like, [&] { return column_names(*trace_, stage); });
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
  } else if (is_large(stage)) {
    result = seen_range(view, stage, batch, slice);
  } else if (score_like && view.range_per_head && view.range != RangeKind::row) {
    result = kept(ranges_, slice_key(stage, batch, slice), [&] {
      ValueRange own =
          automatic_range(matrix(stage, batch, slice), false, !weight_like, mask(stage).get(), batch, slice);
      if (weight_like) own.low = 0;
      if (!(own.high > own.low)) own.high = own.low + 1;
      return own;
    });
  } else if (stage_info(stage).picture.range == StageRange::zero_to_one) {
    result = {0, 1, false, false};
  } else {
    result = kept(ranges_, slice_key(stage, -1, -1),
                  [&] { return automatic_range(trace_->tensor(stage), weight_like, true, mask(stage).get()); });
  }
  result.per_row = score_like && !view.range_fixed && view.range == RangeKind::row;
  result.log_scale = view.log_scale && weight_like;
  return result;
}

ValueRange PanelData::seen_range(const ViewState& view, StageId stage, std::int64_t batch, std::int64_t slice) {
  const bool weight_like = is_weight_like(stage);
  const bool own = is_score_like(stage) && view.range_per_head && view.range != RangeKind::row;
  if (stage_info(stage).picture.range == StageRange::zero_to_one && !own) return {0, 1, false, false};
  const std::int64_t slices = slice_count(*trace_, stage);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::int64_t each = own ? slice : 0; maps_ != nullptr && each < (own ? slice + 1 : slices); ++each) {
    const auto picture = maps_->last_whole(map_key(stage, batch, each), matrix(stage, batch, each), view.pooling);
    if (!picture || picture->low > picture->high) continue;
    low = std::min(low, picture->low);
    high = std::max(high, picture->high);
  }
  if (weight_like) {
    if (own) return {0, high > 0 ? high : 1, false, false};
    return {0, high > 1 ? high : 1, false, false};
  }
  const double largest = low <= high ? std::max(std::abs(low), std::abs(high)) : 0;
  return largest > 0 ? ValueRange{-largest, largest, false, false} : ValueRange{-1, 1, false, false};
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
    ui.state.panel_data = std::make_shared<PanelData>(std::move(trace), static_cast<std::uint64_t>(made),
                                                      &ui.session.maps(), &ui.session.slice_numbers());
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

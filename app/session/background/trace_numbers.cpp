#include "app/session/background/trace_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/session/background/combined_statistics.h"
#include "core/attention/model_trace.h"
#include "core/attention/on_demand.h"
#include "core/attention/shown_mask.h"
#include "core/attention/stage_layout.h"
#include "core/attention/weight_rows.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

constexpr int kHistogramBins = 40;
// Larger stages are gone through slice by slice.
constexpr std::int64_t kAtOnce = 2'000'000;
// Larger slices are drawn from tiles; a matrix that is only computed when read costs more to go through.
constexpr std::int64_t kLargeStored = std::int64_t{4} << 20, kLargeComputed = std::int64_t{1} << 20;
constexpr std::int64_t kLargeSide = 8192;  // what every driver's textures can hold
constexpr std::size_t kKept = 4;  // all lines, those of the chosen and of the hovered token, and one to go back to

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

// The entry of `key`, moved to the front, made when there is none.
template <typename Key, typename Value, typename Make>
const Value& recent(std::list<std::pair<Key, Value>>& entries, const Key& key, const Make& make) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  if (found != entries.end()) {
    entries.splice(entries.begin(), entries, found);
  } else {
    entries.emplace_front(key, make());
    if (entries.size() > kKept) entries.pop_back();
  }
  return entries.front().second;
}

}  // namespace

TraceNumbers::TraceNumbers(std::shared_ptr<const Trace> trace, std::uint64_t version, Background* background)
    : trace_(std::move(trace)),
      version_(version),
      maps_(background != nullptr ? &background->maps : nullptr),
      numbers_(background != nullptr ? &background->slice_numbers : nullptr) {}

bool TraceNumbers::follow(const std::shared_ptr<const Trace>& trace) {
  if (trace == trace_) return true;
  const auto layer_of = [](const Trace& shown) {
    return shown.model != nullptr ? shown.model->layers[static_cast<std::size_t>(shown.model->layer)] : nullptr;
  };
  const auto layer = layer_of(*trace);
  if (layer == nullptr || layer != layer_of(*trace_) || !(trace->request == trace_->request)) return false;
  trace_ = trace;
  return true;
}

bool is_too_large(std::int64_t rows, std::int64_t columns, bool cheap) {
  return rows * columns > (cheap ? kLargeStored : kLargeComputed) || std::max(rows, columns) > kLargeSide;
}

bool TraceNumbers::is_large(StageId stage) {
  return kept(is_large_, stage, [&] {
    const Tensor& tensor = trace_->tensor(stage);
    const MatrixLayout layout = stage_layout(stage);
    const std::int64_t rows = tensor.dim(layout.rows), columns = tensor.dim(layout.columns);
    // A preview's weights are read from stored ones, and look as they do.
    const bool cheap = tensor.stored() || (trace_->preview && is_weight_like(stage));
    return is_too_large(rows, columns, cheap);
  });
}

MapKey TraceNumbers::map_key(StageId stage, std::int64_t batch, std::int64_t slice) const {
  return {version_, stage, batch, slice};
}

PyramidSource TraceNumbers::map_source(StageId stage, std::int64_t batch, std::int64_t slice) {
  PyramidSource source{matrix(stage, batch, slice), mask(stage), batch, slice};
  if (trace_->on_demand != nullptr && is_large(stage)) {
    source.device = kept(devices_, slice_key(stage, batch, slice),
                         [&] { return trace_->on_demand->device_pyramid(stage, batch, slice, trace_->row_edits); });
  }
  if (stage == StageId::weights && !source.matrix.stored())
    source.visit_weights = weight_rows_of(*trace_, batch, slice);
  if (source.matrix.stored() || is_score_like(stage)) return source;
  // A row of context is a row of scores and as many products with values; the later stages need that of every head.
  const std::int64_t heads = trace_->tensor(stage).rank() == 4 ? 1 : trace_->num_heads();
  source.cost =
      std::max<std::int64_t>(1, 2 * heads * trace_->key_len() / std::max<std::int64_t>(1, source.matrix.dim(1)));
  return source;
}

const Tensor& TraceNumbers::matrix(StageId stage, std::int64_t batch, std::int64_t slice) {
  return kept(matrices_, slice_key(stage, batch, slice), [&] {
    Tensor matrix = slice_matrix(*trace_, stage, batch, slice);
    return matrix.stored() || is_large(stage) ? matrix : matrix.dense_copy();
  });
}

void TraceNumbers::begin_frame(std::int64_t most_numbers) {
  budget_ = most_numbers;
  spent_ = 0;
  unfinished_ = false;
}

bool TraceNumbers::afford(std::int64_t numbers) {
  if (spent_ > 0 && spent_ + numbers > budget_) {
    unfinished_ = true;
    return false;
  }
  spent_ += numbers;
  return true;
}

const Statistics* TraceNumbers::statistics(StageId stage) {
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

const SliceNumbers::Numbers* TraceNumbers::known_numbers(StageId stage, std::int64_t batch, std::int64_t slice) {
  const Slice key = slice_key(stage, batch, slice);
  const auto found = large_numbers_.find(key);
  if (found != large_numbers_.end()) return &found->second;
  SliceNumbers::Numbers numbers = large_numbers(stage, batch, slice);
  if (numbers.state != SliceNumbers::State::known) return nullptr;
  return &large_numbers_.emplace(key, std::move(numbers)).first->second;
}

SliceNumbers::Numbers TraceNumbers::large_numbers(StageId stage, std::int64_t batch, std::int64_t slice) const {
  return numbers_ != nullptr ? numbers_->numbers(map_key(stage, batch, slice)) : SliceNumbers::Numbers();
}

void TraceNumbers::ask_for_numbers(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (numbers_ == nullptr) return;
  numbers_->ask(map_key(stage, batch, slice), matrix(stage, batch, slice), kHistogramBins,
                stage == StageId::weights ? trace_ : nullptr);
}

void TraceNumbers::stop_numbers(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (numbers_ != nullptr) numbers_->cancel(map_key(stage, batch, slice));
}

const Statistics* TraceNumbers::statistics(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (is_large(stage)) {
    const SliceNumbers::Numbers* numbers = known_numbers(stage, batch, slice);
    return numbers != nullptr ? &numbers->statistics : nullptr;
  }
  return &kept(statistics_, slice_key(stage, batch, slice), [&] { return statistics_of(matrix(stage, batch, slice)); });
}

const Histogram* TraceNumbers::histogram(StageId stage, std::int64_t batch, std::int64_t slice) {
  if (is_large(stage)) {
    const SliceNumbers::Numbers* numbers = known_numbers(stage, batch, slice);
    return numbers != nullptr ? &numbers->histogram : nullptr;
  }
  return &kept(histograms_, slice_key(stage, batch, slice),
               [&] { return histogram_of(matrix(stage, batch, slice), kHistogramBins); });
}

const Strip& TraceNumbers::strip(StageId stage, std::int64_t batch) {
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
  return kept(strips_, slice_key(stage, batch, 0), [&] { return strip_of(*trace_, mask(stage), stage, batch); });
}

const std::shared_ptr<const Mask>& TraceNumbers::mask(StageId stage) {
  return kept(masks_, stage, [&] { return shown_mask(*trace_, stage); });
}

ValueRange TraceNumbers::color_range(StageId stage, std::int64_t batch, std::int64_t slice, const RangeOf& of) {
  if (is_large(stage)) return seen_range(stage, batch, slice, of);
  const bool weight_like = is_weight_like(stage);
  if (of.slice_alone) {
    return kept(ranges_, slice_key(stage, batch, slice), [&] {
      ValueRange own =
          automatic_range(matrix(stage, batch, slice), false, !weight_like, mask(stage).get(), batch, slice);
      if (weight_like) own.low = 0;
      if (!(own.high > own.low)) own.high = own.low + 1;
      return own;
    });
  }
  if (stage_info(stage).picture.range == StageRange::zero_to_one) return {0, 1, false, false};
  return kept(ranges_, slice_key(stage, -1, -1),
              [&] { return automatic_range(trace_->tensor(stage), weight_like, true, mask(stage).get()); });
}

ValueRange TraceNumbers::seen_range(StageId stage, std::int64_t batch, std::int64_t slice, const RangeOf& of) {
  const bool weight_like = is_weight_like(stage);
  if (stage_info(stage).picture.range == StageRange::zero_to_one && !of.slice_alone) return {0, 1, false, false};
  const std::int64_t slices = slice_count(*trace_, stage);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::int64_t each = of.slice_alone ? slice : 0; maps_ != nullptr && each < (of.slice_alone ? slice + 1 : slices);
       ++each) {
    const auto picture = maps_->last_whole(map_key(stage, batch, each), matrix(stage, batch, each), of.pooling);
    if (!picture || picture->low > picture->high) continue;
    low = std::min(low, picture->low);
    high = std::max(high, picture->high);
  }
  if (weight_like) {
    if (of.slice_alone) return {0, high > 0 ? high : 1, false, false};
    return {0, high > 1 ? high : 1, false, false};
  }
  const double largest = low <= high ? std::max(std::abs(low), std::abs(high)) : 0;
  return largest > 0 ? ValueRange{-largest, largest, false, false} : ValueRange{-1, 1, false, false};
}

const std::vector<ValueScale>& TraceNumbers::row_scale(StageId stage, std::int64_t batch, std::int64_t slice,
                                                       ColorMap map, bool log_scale) {
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

const ValueRange& TraceNumbers::file_range(const std::string& name, const Tensor& tensor) {
  const auto found = file_ranges_.find(name);
  if (found != file_ranges_.end()) return found->second;
  return file_ranges_.emplace(name, automatic_range(tensor, false, true, nullptr)).first->second;
}

const Arcs& TraceNumbers::arcs(const ArcRequest& request) {
  return recent(links_, request, [&] { return strongest_arcs(*trace_, request); });
}

const Neurons& TraceNumbers::neurons(std::int64_t batch, std::int64_t head, std::int64_t query) {
  return recent(neurons_, {batch, head, query}, [&] {
    return neurons_of(*trace_, batch, head, query, {0, trace_->key_len()});
  });
}

}  // namespace headscope

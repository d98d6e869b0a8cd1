// This part of the lab goes from query and key to masked scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/backend/kernels/wide_products.h"
#include "core/diagnose/layer_lab.h"

namespace headscope {
namespace {

// The sum of products, rounded after every addition, and where `products` says so after every product.
double rounded_sum(const double* a, const double* b, std::int64_t count, const NumberGrid& grid, bool products) {
  double sum = 0;
  for (std::int64_t d = 0; d < count; ++d) {
    const double product = a[d] * b[d];
    sum = rounded_to(grid, sum + (products ? rounded_to(grid, product) : product));
  }
  return sum;
}

}  // namespace

std::int64_t kv_head_of(LayerFaults::Groups groups, std::int64_t head, std::int64_t heads, std::int64_t kv_heads) {
  switch (groups) {
    case LayerFaults::Groups::tiled:
      return head % kv_heads;
    case LayerFaults::Groups::first:
      return 0;
    case LayerFaults::Groups::repeated:
      break;
  }
  return head / (heads / kv_heads);
}

std::int64_t LayerLab::score_keys() const {
  const WideStage& key = *heads_->at(StageId::key);
  return has_variant(what_.request, Variant::key_not_transposed) ? key.shape[3] : key.shape[2];
}

void LayerLab::multiply(const Pair& at, double* cells) const {
  const WideStage &query = *heads_->at(StageId::query), &key = *heads_->at(StageId::key);
  const std::int64_t heads = query.shape[1], features = query.shape[3];
  const std::int64_t group = kv_head_of(what_.faults.key_groups, at.h, heads, key.shape[1]);
  const double* from = query.values.data() + (at.b * heads + at.h) * query.shape[2] * features;
  std::vector<double> chosen;
  for (const std::int64_t i : at.rows) chosen.insert(chosen.end(), from + i * features, from + (i + 1) * features);
  const double* own = key.values.data() + (at.b * key.shape[1] + group) * key.shape[2] * key.shape[3];
  const auto count = static_cast<std::int64_t>(at.rows.size());
  const WideRows x{chosen.data(), features, count}, k{own, key.shape[3], key.shape[2]};
  if (has_variant(what_.request, Variant::key_not_transposed)) {
    mix_wide_rows(x, k, at.keys, cells, at.keys);
  } else if (what_.faults.accumulator) {
    for (std::int64_t cell = 0; cell < count * at.keys; ++cell) {
      cells[cell] = rounded_sum(chosen.data() + cell / at.keys * features, own + cell % at.keys * features, features,
                                *what_.faults.accumulator, what_.faults.rounds_products);
    }
  } else {
    multiply_wide_rows(x, k, features, cells, at.keys);
  }
  const double limit = what_.faults.score_limit;
  if (grid_ == nullptr && limit <= 0) return;
  for (std::int64_t cell = 0; cell < count * at.keys; ++cell) {
    double& value = cells[cell];
    value = stored(value);
    if (limit > 0 && std::abs(value) > limit) value = std::copysign(std::numeric_limits<double>::infinity(), value);
  }
}

WideStage LayerLab::raw_scores(Rows rows) const {
  const Shape& query = heads_->at(StageId::query)->shape;
  WideStage raw{{query[0], query[1], static_cast<std::int64_t>(rows.size()), score_keys()}, {}};
  raw.values.resize(static_cast<std::size_t>(element_count(raw.shape)));
  each_pair_of(raw, rows, [this](const Pair& at, double* cells) { multiply(at, cells); });
  return raw;
}

bool LayerLab::hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  const LayerFaults& faults = what_.faults;
  if (j < faults.hide_first_keys || i >= queries() - faults.hide_last_queries) return true;
  const HiddenCells& hidden = rule_.mask->hidden;
  const std::int64_t place = i + diagonal_;
  switch (faults.hide) {
    case LayerFaults::Hide::diagonal_too:
      return j == place || hidden.hidden(b, h, i, j);
    // The key of bias_k, which is no place, is always visible.
    case LayerFaults::Hide::one_more_shown:
      return (j > place + 1 && j < what_.inputs.key_len) || hidden.hidden(b, h, i, j);
    case LayerFaults::Hide::transposed:
      return j < place || hidden.hidden(b, h, i, j);
    case LayerFaults::Hide::first_item:
      return hidden.hidden(0, h, i, j);
    case LayerFaults::Hide::right:
      break;
  }
  return hidden.hidden(b, h, i, j);
}

double LayerLab::slope_bias(std::int64_t h, std::int64_t i, std::int64_t j) const {
  if (!what_.faults.slopes) return 0;
  const std::int64_t distance = what_.faults.slopes_signed ? i + diagonal_ - j : std::abs(i + diagonal_ - j);
  return -(*what_.faults.slopes)[static_cast<std::size_t>(h)] * static_cast<double>(distance);
}

double LayerLab::added(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  const Tensor& values = rule_.mask->added;
  double sum = what_.faults.slopes_before_scale ? 0 : slope_bias(h, i, j);
  if (!values.empty()) {
    sum += static_cast<double>(values.at({values.dim(0) == 1 ? 0 : b, values.dim(1) == 1 ? 0 : h, i, j}));
  }
  return sum;
}

void LayerLab::scale(const Pair& at, double* cells) const {
  const bool caps_first = what_.faults.cap == LayerFaults::Cap::before_scale && rule_.softcap;
  for (const std::int64_t i : at.rows) {
    for (std::int64_t j = 0; j < at.keys; ++j, ++cells) {
      if (what_.faults.slopes_before_scale) *cells += slope_bias(at.h, i, j);
      if (caps_first) *cells = *rule_.softcap * std::tanh(*cells / *rule_.softcap);
      *cells = stored(*cells * rule_.scale);
    }
  }
}

void LayerLab::cap(const Pair& at, double* cells) const {
  const LayerFaults::Cap how = what_.faults.cap;
  if (!rule_.softcap || how == LayerFaults::Cap::before_scale || how == LayerFaults::Cap::after_mask) return;
  const double cap = *rule_.softcap, factor = how == LayerFaults::Cap::without_factor ? 1 : cap;
  const bool adds = rule_.caps_added();
  for (const std::int64_t i : at.rows) {
    for (std::int64_t j = 0; j < at.keys; ++j, ++cells) {
      if (adds) *cells += added(at.b, at.h, i, j);
      *cells = stored(factor * std::tanh(*cells / cap));
    }
  }
}

void LayerLab::mask_runs(const VisibleKeys& seen, std::int64_t keys, double scale, double filled, double* row) const {
  std::int64_t end = 0;  // of what is done
  for (const Range& run : {seen.first, seen.second}) {
    if (run.size() == 0) continue;
    std::fill(row + end, row + run.begin, filled);
    for (std::int64_t j = run.begin; j < run.end; ++j) row[j] = stored(row[j] * scale);
    end = run.end;
  }
  std::fill(row + end, row + keys, filled);
}

void LayerLab::mask(const Pair& at, double* cells, bool scales) const {
  const LayerFaults& faults = what_.faults;
  const auto fill = static_cast<double>(static_cast<float>(rule_.mask_fill));
  const double scale = scales ? rule_.scale : 1;
  // A fill that a format of fewer bits cannot hold is what its kernels add in float32.
  const double filled = std::isinf(fill) ? fill : fill * scale;
  const double cap = faults.cap == LayerFaults::Cap::after_mask ? rule_.softcap.value_or(0) : 0;
  const bool adds_nothing = rule_.caps_added() || (rule_.mask->added.empty() && !faults.slopes);
  const bool as_requested =
      faults.hide == LayerFaults::Hide::right && faults.hide_first_keys == 0 && faults.hide_last_queries == 0;
  const bool only_hides =
      faults.mask_use == LayerFaults::MaskUse::hides && cap <= 0 && adds_nothing && !rule_.mask_after_softmax;
  for (const std::int64_t i : at.rows) {
    std::optional<VisibleKeys> seen;
    if (as_requested) seen = rule_.mask->hidden.visible_keys(at.b, at.h, i);
    if (seen && only_hides) {
      mask_runs(*seen, at.keys, scale, filled, cells);
      cells += at.keys;
      continue;
    }
    for (std::int64_t j = 0; j < at.keys; ++j) {
      double& value = *cells++;
      const bool hidden = !rule_.mask_after_softmax && (seen ? !seen->contains(j) : hides(at.b, at.h, i, j));
      const double more = adds_nothing ? 0 : added(at.b, at.h, i, j);
      switch (faults.mask_use) {
        case LayerFaults::MaskUse::adds_one_where_visible:
          value = stored((value + more + (hidden ? 0 : 1)) * scale);
          continue;
        case LayerFaults::MaskUse::multiplies:
          value = stored(hidden ? 0 : (value + more) * scale);
          continue;
        case LayerFaults::MaskUse::hides:
          break;
      }
      value = hidden ? filled : stored((value + more) * scale);
      if (cap > 0) value = stored(cap * std::tanh(value / cap));
    }
  }
}

}  // namespace headscope

// This part of the lab goes from query and key to masked scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
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

WideStage LayerLab::raw_scores(Rows rows) const {
  const WideStage &query = *heads_->at(StageId::query), &key = *heads_->at(StageId::key);
  const std::int64_t batch = query.shape[0], heads = query.shape[1], len = query.shape[2], features = query.shape[3];
  const std::int64_t kv_heads = key.shape[1];
  const auto count = static_cast<std::int64_t>(rows.size());
  const bool as_it_lies = has_variant(what_.request, Variant::key_not_transposed);
  const std::int64_t keys = as_it_lies ? key.shape[3] : key.shape[2];
  WideStage raw{{batch, heads, count, keys},
                std::vector<double>(static_cast<std::size_t>(batch * heads * count * keys))};
  each_pair(batch * heads, [&](std::int64_t pair) {
    const std::int64_t group = kv_head_of(what_.faults.key_groups, pair % heads, heads, kv_heads);
    const double* from = query.values.data() + pair * len * features;
    std::vector<double> chosen;
    for (const std::int64_t row : rows) chosen.insert(chosen.end(), from + row * features, from + (row + 1) * features);
    const double* own = key.values.data() + (pair / heads * kv_heads + group) * key.shape[2] * key.shape[3];
    const WideRows x{chosen.data(), features, count}, k{own, key.shape[3], key.shape[2]};
    double* to = raw.values.data() + pair * count * keys;
    if (as_it_lies) {
      mix_wide_rows(x, k, keys, to, keys);
    } else if (what_.faults.accumulator) {
      for (std::int64_t r = 0; r < count; ++r) {
        for (std::int64_t j = 0; j < keys; ++j) {
          to[r * keys + j] = rounded_sum(chosen.data() + r * features, own + j * features, features,
                                         *what_.faults.accumulator, what_.faults.rounds_products);
        }
      }
    } else {
      multiply_wide_rows(x, k, features, to, keys);
    }
  });
  if (grid_ != nullptr) {
    for (double& value : raw.values) value = stored(value);
  }
  if (const double limit = what_.faults.score_limit; limit > 0) {
    for (double& value : raw.values) {
      if (std::abs(value) > limit) value = std::copysign(std::numeric_limits<double>::infinity(), value);
    }
  }
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

namespace {

// Calls change(value, b, h, r, j) for every cell.
template <typename Change>
void for_cells(WideStage& scores, Change&& change) {
  double* value = scores.values.data();
  for (std::int64_t b = 0; b < scores.shape[0]; ++b) {
    for (std::int64_t h = 0; h < scores.shape[1]; ++h) {
      for (std::int64_t r = 0; r < scores.shape[2]; ++r) {
        for (std::int64_t j = 0; j < scores.shape[3]; ++j, ++value) change(*value, b, h, r, j);
      }
    }
  }
}

}  // namespace

WideStage LayerLab::scaled(WideStage raw, Rows rows) const {
  WideStage scores = std::move(raw);
  const bool caps_first = what_.faults.cap == LayerFaults::Cap::before_scale && rule_.softcap;
  for_cells(scores, [&](double& value, std::int64_t, std::int64_t h, std::int64_t r, std::int64_t j) {
    if (what_.faults.slopes_before_scale) value += slope_bias(h, rows[static_cast<std::size_t>(r)], j);
    if (caps_first) value = *rule_.softcap * std::tanh(value / *rule_.softcap);
    value = stored(value * rule_.scale);
  });
  return scores;
}

WideStage LayerLab::capped(WideStage scores, Rows rows) const {
  const LayerFaults::Cap how = what_.faults.cap;
  if (!rule_.softcap || how == LayerFaults::Cap::before_scale || how == LayerFaults::Cap::after_mask) return scores;
  WideStage result = std::move(scores);
  const double cap = *rule_.softcap, factor = what_.faults.cap == LayerFaults::Cap::without_factor ? 1 : cap;
  const bool adds = rule_.caps_added();
  for_cells(result, [&](double& value, std::int64_t b, std::int64_t h, std::int64_t r, std::int64_t j) {
    if (adds) value += added(b, h, rows[static_cast<std::size_t>(r)], j);
    value = stored(factor * std::tanh(value / cap));
  });
  return result;
}

WideStage LayerLab::masked(WideStage before, Rows rows, bool scales) const {
  const LayerFaults& faults = what_.faults;
  const auto fill = static_cast<double>(static_cast<float>(rule_.mask_fill));
  const double scale = scales ? rule_.scale : 1;
  const double cap = faults.cap == LayerFaults::Cap::after_mask ? rule_.softcap.value_or(0) : 0;
  const bool adds_nothing = rule_.caps_added() || (rule_.mask->added.empty() && !faults.slopes);
  WideStage result = std::move(before);
  const bool as_requested =
      faults.hide == LayerFaults::Hide::right && faults.hide_first_keys == 0 && faults.hide_last_queries == 0;
  std::optional<VisibleKeys> seen;  // of the row
  for_cells(result, [&](double& value, std::int64_t b, std::int64_t h, std::int64_t r, std::int64_t j) {
    const std::int64_t i = rows[static_cast<std::size_t>(r)];
    if (j == 0 && as_requested) seen = rule_.mask->hidden.visible_keys(b, h, i);
    const bool hidden = !rule_.mask_after_softmax && (seen ? !seen->contains(j) : hides(b, h, i, j));
    const double more = adds_nothing ? 0 : added(b, h, i, j);
    switch (faults.mask_use) {
      case LayerFaults::MaskUse::adds_one_where_visible:
        value = stored((value + more + (hidden ? 0 : 1)) * scale);
        return;
      case LayerFaults::MaskUse::multiplies:
        value = stored(hidden ? 0 : (value + more) * scale);
        return;
      case LayerFaults::MaskUse::hides:
        break;
    }
    // A fill that a format of fewer bits cannot hold is what its kernels add in float32.
    value = !hidden ? stored((value + more) * scale) : std::isinf(fill) ? fill : fill * scale;
    if (cap > 0) value = stored(cap * std::tanh(value / cap));
  });
  return result;
}

}  // namespace headscope

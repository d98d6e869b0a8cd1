#include "core/backend/kernels/attention_products.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/attention_products.cpp"
#include "hwy/foreach_target.h"

#include "core/backend/kernels/micro_kernel-inl.h"
#include "core/backend/kernels/turn-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kFloatsALine = 16;

void pack_panel(const float* key, std::int64_t stride, std::int64_t count, std::int64_t head_dim, float* panel) {
  const std::int64_t whole_keys = count / 4 * 4;
  const std::int64_t whole_features = head_dim / 4 * 4;
  for (std::int64_t d = 0; d < whole_features; d += 4) {
    if (d % kFloatsALine == 0) {
      // Rows lie far apart, so that the processor does not prefetch those of the next panel by itself.
      for (std::int64_t j = 0; j < count; ++j) hwy::Prefetch(key + (kPanelKeys + j) * stride + d);
    }
    for (std::int64_t j = 0; j < whole_keys; j += 4) {
      turn_square(key + j * stride + d, stride, panel + d * kPanelKeys + j, kPanelKeys);
    }
  }
  for (std::int64_t d = 0; d < head_dim; ++d) {
    const std::int64_t begin = d < whole_features ? whole_keys : 0;
    for (std::int64_t j = begin; j < count; ++j) panel[d * kPanelKeys + j] = key[j * stride + d];
    for (std::int64_t j = count; j < kPanelKeys; ++j) panel[d * kPanelKeys + j] = 0.0F;
  }
}

bool pack_finite(const float* value, std::int64_t stride, std::int64_t keys, std::int64_t features, float* panels,
                 std::int64_t panel_distance) {
  const FloatTag d;
  auto finite = hn::IsFinite(hn::Zero(d));
  for (std::int64_t first = 0; first < features; first += kPanelFeatures, panels += panel_distance) {
    const std::int64_t count = HWY_MIN(kPanelFeatures, features - first);
    for (std::int64_t j = 0; j < keys; ++j) {
      const float* from = value + j * stride + first;
      for (std::int64_t f = 0; f < count; f += kFloatsALine) hwy::Prefetch(from + kRowsAhead * stride + f);
      float* to = panels + j * kPanelFeatures;
      HWY_ALIGN float part[kPanelFeatures];
      if (count < kPanelFeatures) {
        for (std::int64_t f = 0; f < kPanelFeatures; ++f) part[f] = f < count ? from[f] : 0.0F;
        from = part;
      }
      for (std::int64_t f = 0; f < kPanelFeatures; f += kLanes) {
        const FloatVector values = hn::LoadU(d, from + f);
        const auto good = hn::IsFinite(values);
        finite = hn::And(finite, good);
        hn::StoreU(hn::IfThenElseZero(good, values), d, to + f);
      }
    }
  }
  return hn::AllTrue(d, finite);
}

bool check_finite(const float* value, std::int64_t stride, std::int64_t keys, std::int64_t features) {
  const FloatTag d;
  auto finite = hn::IsFinite(hn::Zero(d));
  for (std::int64_t j = 0; j < keys; ++j) {
    const float* row = value + j * stride;
    std::int64_t f = 0;
    for (; f + kLanes <= features; f += kLanes) finite = hn::And(finite, hn::IsFinite(hn::LoadU(d, row + f)));
    for (; f < features; ++f) finite = hn::And(finite, hn::IsFinite(hn::Set(d, row[f])));
  }
  return hn::AllTrue(d, finite);
}

// The tiles that rows are cut into.
HWY_INLINE std::int64_t tiles_of(std::int64_t rows) {
  return (rows + kMaxRows - 1) / kMaxRows;
}

// The panel of keys stays in the first cache while all rows go over it; every tile fetches its share of the next one.
void query_key(const QueryKeyBlock& block) {
  static_assert(kPanelKeys % kTileColumns == 0);
  const std::int64_t fetch_step = kPanelKeys / tiles_of(block.rows);
  const float* fetch = block.next_panel;
  for (std::int64_t row = 0; row < block.rows;) {
    const int rows = rows_of_part(block.rows - row);
    Tile<float> tile;
    tile.a = block.query + row * block.query_stride;
    tile.a_stride = block.query_stride;
    tile.b_stride = kPanelKeys;
    tile.c_stride = block.score_stride;
    tile.depth = block.head_dim;
    tile.fetch = fetch;
    tile.fetch_step = fetch_step;
    for (std::int64_t column = 0; column < kPanelKeys; column += kTileColumns) {
      tile.b = block.key_panel + column;
      tile.c = block.scores + row * block.score_stride + column;
      tile_function<RowForm::strided, TileStart::zero, float>(rows)(tile);
    }
    row += rows;
    if (fetch != nullptr) fetch += fetch_step * block.head_dim;
  }
}

void weight_value(const WeightValueBlock& block) {
  static_assert(kPanelFeatures % kTileColumns == 0);
  const std::int64_t fetch_step = kPanelFeatures / tiles_of(block.rows);
  for (std::int64_t panel = 0; panel < block.panels; ++panel) {
    const float* value = block.value + panel * block.panel_distance;
    const float* fetch = block.fetches_next ? value + block.keys * kPanelFeatures : nullptr;
    for (std::int64_t row = 0; row < block.rows;) {
      const int rows = rows_of_part(block.rows - row);
      Tile<float> tile;
      tile.a = block.weights + row * block.weight_stride;
      tile.a_stride = block.weight_stride;
      tile.b_stride = block.value_stride;
      tile.c_stride = block.context_stride;
      tile.depth = block.keys;
      tile.fetch = fetch;
      tile.fetch_step = fetch_step;
      for (std::int64_t column = 0; column < kPanelFeatures; column += kTileColumns) {
        tile.b = value + column;
        tile.c = block.context + row * block.context_stride + panel * kPanelFeatures + column;
        tile_function<RowForm::strided, TileStart::cells, float>(rows)(tile);
      }
      row += rows;
      if (fetch != nullptr) fetch += fetch_step * block.keys;
    }
  }
}

void finish(const float* sums, std::int64_t count, float* context) {
  const FloatTag d;
  const FloatVector nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const auto finished = [&](FloatVector sum) { return hn::IfThenElse(hn::IsNaN(sum), nan, hn::Add(sum, hn::Zero(d))); };
  std::int64_t f = 0;
  for (; f + kLanes <= count; f += kLanes) hn::StoreU(finished(hn::LoadU(d, sums + f)), d, context + f);
  for (; f < count; ++f) context[f] = hn::GetLane(finished(hn::Set(d, sums[f])));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(pack_panel);
HWY_EXPORT(pack_finite);
HWY_EXPORT(check_finite);
HWY_EXPORT(query_key);
HWY_EXPORT(weight_value);
HWY_EXPORT(finish);
}  // namespace

void pack_key_panel(const float* key, std::int64_t stride, std::int64_t count, std::int64_t head_dim, float* panel) {
  HWY_DYNAMIC_DISPATCH(pack_panel)(key, stride, count, head_dim, panel);
}

bool pack_values(const float* value, std::int64_t stride, std::int64_t keys, std::int64_t features, float* panels,
                 std::int64_t panel_distance) {
  return HWY_DYNAMIC_DISPATCH(pack_finite)(value, stride, keys, features, panels, panel_distance);
}

bool all_finite(const float* value, std::int64_t stride, std::int64_t keys, std::int64_t features) {
  return HWY_DYNAMIC_DISPATCH(check_finite)(value, stride, keys, features);
}

void multiply_query_key(const QueryKeyBlock& block) {
  HWY_DYNAMIC_DISPATCH(query_key)(block);
}

void multiply_weight_value(const WeightValueBlock& block) {
  HWY_DYNAMIC_DISPATCH(weight_value)(block);
}

void finish_sums(const float* sums, std::int64_t count, float* context) {
  HWY_DYNAMIC_DISPATCH(finish)(sums, count, context);
}

}  // namespace headscope
#endif

#include "core/backend/kernels/softmax.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/softmax.cpp"
#include "hwy/foreach_target.h"

#include "core/backend/kernels/exp-inl.h"
#include "core/backend/kernels/micro_kernel-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {

// Vectors that hold the sums of all lanes.
constexpr std::int64_t kParts = kSumLanes / kLanes;

HWY_INLINE std::int64_t up_to_lanes(std::int64_t end) {
  return (end + kSumLanes - 1) / kSumLanes * kSumLanes;
}

void scale(float* cells, std::int64_t count, double factor) {
  std::int64_t j = 0;
// DemoteTo of the plain targets gives the largest float for what is beyond it, and not infinity.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, hn::ScalableTag<double>> narrow;
  const auto factors = hn::Set(wide, factor);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  for (; j + lanes <= count; j += lanes) {
    const auto product = hn::Mul(hn::PromoteTo(wide, hn::LoadU(narrow, cells + j)), factors);
    hn::StoreU(hn::DemoteTo(narrow, product), narrow, cells + j);
  }
#endif
  for (; j < count; ++j) cells[j] = static_cast<float>(cells[j] * factor);
}

HWY_INLINE void take_larger(const float* cells, FloatVector& largest) {
  largest = hn::Max(hn::LoadU(FloatTag(), cells), largest);
}

HWY_INLINE FloatVector largest_of_span(const float* cells, KeySpan span, FloatVector largest) {
  FloatVector other = largest;
  std::int64_t j = span.begin;
  const std::int64_t end = up_to_lanes(span.end);
  for (; j + 4 * kLanes <= end; j += 4 * kLanes) {
    take_larger(cells + j, largest);
    take_larger(cells + j + kLanes, other);
    take_larger(cells + j + 2 * kLanes, largest);
    take_larger(cells + j + 3 * kLanes, other);
  }
  for (; j < end; j += kLanes) take_larger(cells + j, largest);
  return hn::Max(largest, other);
}

HWY_INLINE float largest_lane(FloatVector lanes) {
  const FloatTag d;
#if HWY_TARGET == HWY_EMU128
  // Highway's begins with the lowest finite float there, and gives it where every lane is -inf.
  float each[hn::MaxLanes(FloatTag())];
  hn::StoreU(lanes, d, each);
  float largest = -HUGE_VALF;
  for (const float lane : each) largest = largest < lane ? lane : largest;
  return largest;
#else
  return hn::GetLane(hn::MaxOfLanes(d, lanes));
#endif
}

float largest(const float* cells, const KeySpans& spans) {
  const FloatTag d;
  FloatVector result = hn::Set(d, -HUGE_VALF);
  result = largest_of_span(cells, spans.first, result);
  result = largest_of_span(cells, spans.second, result);
  return largest_lane(result) + 0.0F;
}

HWY_INLINE FloatVector exponential_at(const float* cells, FloatVector scale, FloatVector max) {
  return exp_of_negative(hn::Sub(hn::Mul(hn::LoadU(FloatTag(), cells), scale), max));
}

template <int... parts>
HWY_INLINE void exponentials_of_span(float* cells, KeySpan span, FloatVector scale, FloatVector max,
                                     FloatVector (&sums)[kParts], std::integer_sequence<int, parts...>) {
  const std::int64_t end = up_to_lanes(span.end);
  for (std::int64_t j = span.begin; j < end; j += kSumLanes) {
    (
        [&] {
          const FloatVector e = exponential_at(cells + j + parts * kLanes, scale, max);
          hn::StoreU(e, FloatTag(), cells + j + parts * kLanes);
          sums[parts] = hn::Add(sums[parts], e);
        }(),
        ...);
  }
}

// Halves are added until one lane is left.
HWY_INLINE float sum_by_tree(const FloatVector (&sums)[kParts]) {
  HWY_ALIGN float lanes[kSumLanes];
  for (std::int64_t part = 0; part < kParts; ++part) hn::Store(sums[part], FloatTag(), lanes + part * kLanes);
  for (std::int64_t half = kSumLanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

float exponential_row(float* cells, const KeySpans& spans, float scale, float max) {
  const FloatTag d;
  const FloatVector scales = hn::Set(d, scale);
  const FloatVector largest = hn::Set(d, max);
  FloatVector sums[kParts];
  for (FloatVector& sum : sums) sum = hn::Zero(d);
  constexpr auto kAll = std::make_integer_sequence<int, static_cast<int>(kParts)>();
  exponentials_of_span(cells, spans.first, scales, largest, sums, kAll);
  exponentials_of_span(cells, spans.second, scales, largest, sums, kAll);
  return sum_by_tree(sums);
}

void multiply_span(float* cells, KeySpan span, FloatVector factor) {
  const FloatTag d;
  const std::int64_t end = up_to_lanes(span.end);
  for (std::int64_t j = span.begin; j < end; j += kLanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, cells + j), factor), d, cells + j);
  }
}

void multiply(float* cells, const KeySpans& spans, float factor) {
  multiply_span(cells, spans.first, hn::Set(FloatTag(), factor));
  multiply_span(cells, spans.second, hn::Set(FloatTag(), factor));
}

// How many floats from `to` on until an address that streaming stores can use.
HWY_INLINE std::int64_t until_aligned(const float* to, std::int64_t count) {
  const auto bytes = reinterpret_cast<std::uintptr_t>(to) % (kLanes * sizeof(float));
  const auto floats = static_cast<std::int64_t>((kLanes * sizeof(float) - bytes) / sizeof(float)) % kLanes;
  return floats < count ? floats : count;
}

template <bool past_caches>
void zeros(float* to, std::int64_t count) {
  const FloatTag d;
  std::int64_t j = 0;
  if constexpr (past_caches) {
    for (const std::int64_t head = until_aligned(to, count); j < head; ++j) to[j] = 0.0F;
  }
  for (; j + kLanes <= count; j += kLanes) {
    if constexpr (past_caches) {
      hn::Stream(hn::Zero(d), d, to + j);
    } else {
      hn::StoreU(hn::Zero(d), d, to + j);
    }
  }
  for (; j < count; ++j) to[j] = 0.0F;
}

template <bool past_caches>
void products(float* cells, std::int64_t count, float factor, float* to) {
  const FloatTag d;
  const FloatVector factors = hn::Set(d, factor);
  std::int64_t j = 0;
  if constexpr (past_caches) {
    for (const std::int64_t head = until_aligned(to, count); j < head; ++j) to[j] = cells[j] *= factor;
  }
  for (; j + kLanes <= count; j += kLanes) {
    const FloatVector product = hn::Mul(hn::LoadU(d, cells + j), factors);
    hn::StoreU(product, d, cells + j);
    if constexpr (past_caches) {
      hn::Stream(product, d, to + j);
    } else {
      hn::StoreU(product, d, to + j);
    }
  }
  for (; j < count; ++j) to[j] = cells[j] *= factor;
}

template <bool past_caches>
void multiply_row(float* cells, const KeySpans& spans, float factor, float* out, std::int64_t key_len) {
  std::int64_t done = 0;
  for (const KeySpan& span : {spans.first, spans.second}) {
    if (span.size() <= 0) continue;
    zeros<past_caches>(out + done, span.begin - done);
    products<past_caches>(cells + span.begin, span.size(), factor, out + span.begin);
    done = span.end;
  }
  zeros<past_caches>(out + done, key_len - done);
}

void multiply_to(float* cells, const KeySpans& spans, float factor, float* out, std::int64_t key_len,
                 bool past_caches) {
  (past_caches ? multiply_row<true> : multiply_row<false>)(cells, spans, factor, out, key_len);
}

void from_statistics(const float* cells, std::int64_t count, float scale, float max, float factor, float* out) {
  const FloatTag d;
  const FloatVector scales = hn::Set(d, scale);
  const FloatVector largest = hn::Set(d, max);
  const FloatVector factors = hn::Set(d, factor);
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    hn::StoreU(hn::Mul(exponential_at(cells + j, scales, largest), factors), d, out + j);
  }
  if (j == count) return;
  HWY_ALIGN float rest[kLanes] = {};
  for (std::int64_t k = j; k < count; ++k) rest[k - j] = cells[k];
  hn::Store(hn::Mul(exponential_at(rest, scales, largest), factors), d, rest);
  for (std::int64_t k = j; k < count; ++k) out[k] = rest[k - j];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(scale);
HWY_EXPORT(largest);
HWY_EXPORT(exponential_row);
HWY_EXPORT(multiply);
HWY_EXPORT(multiply_to);
HWY_EXPORT(from_statistics);
}  // namespace

void scale_cells(float* cells, std::int64_t count, double scale) {
  HWY_DYNAMIC_DISPATCH(scale)(cells, count, scale);
}

float largest_cell(const float* cells, const KeySpans& spans) {
  return HWY_DYNAMIC_DISPATCH(largest)(cells, spans);
}

float exponentials(float* cells, const KeySpans& spans, float scale, float max) {
  return HWY_DYNAMIC_DISPATCH(exponential_row)(cells, spans, scale, max);
}

void multiply_cells(float* cells, const KeySpans& spans, float factor) {
  HWY_DYNAMIC_DISPATCH(multiply)(cells, spans, factor);
}

void multiply_cells_to(float* cells, const KeySpans& spans, float factor, float* out, std::int64_t key_len,
                       bool past_caches) {
  HWY_DYNAMIC_DISPATCH(multiply_to)(cells, spans, factor, out, key_len, past_caches);
}

void finish_stores() {
  hwy::FlushStream();
}

void weights_by_statistics(const float* cells, std::int64_t count, float scale, float max, float factor, float* out) {
  HWY_DYNAMIC_DISPATCH(from_statistics)(cells, count, scale, max, factor, out);
}

}  // namespace headscope
#endif

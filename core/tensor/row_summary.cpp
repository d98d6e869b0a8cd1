#include "core/tensor/row_summary.h"

#include <algorithm>
#include <cstddef>
#include <span>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/row_summary.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kSumLanes = 16;
constexpr std::size_t kBlock = 1024;  // values whose terms are added as floats

using Floats = hn::CappedTag<float, kSumLanes>;
using Integers = hn::RebindToSigned<Floats>;

// log2 of positive normal floats: 2^e m with m in [sqrt(1/2), sqrt(2)), and ln m = 2 artanh((m - 1) / (m + 1)) by its
// series to the ninth power, whose next term is below 3e-9.
HWY_INLINE hn::Vec<Floats> log2_of(Floats d, hn::Vec<Floats> x) {
  const Integers di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const auto mantissa = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const auto one = hn::Set(d, 1.0F);
  const auto s = hn::Div(hn::Sub(mantissa, one), hn::Add(mantissa, one));
  const auto square = hn::Mul(s, s);
  auto series = hn::Set(d, 0.32059889F);                         // 2 / (9 ln 2)
  series = hn::MulAdd(series, square, hn::Set(d, 0.41219858F));  // 2 / (7 ln 2)
  series = hn::MulAdd(series, square, hn::Set(d, 0.57707802F));  // 2 / (5 ln 2)
  series = hn::MulAdd(series, square, hn::Set(d, 0.96179669F));  // 2 / (3 ln 2)
  series = hn::MulAdd(series, square, hn::Set(d, 2.88539008F));  // 2 / ln 2
  return hn::MulAdd(series, s, hn::ConvertTo(d, exponent));
}

RowSummary summary(const float* weights, std::size_t count) {
  const Floats d;
  constexpr std::size_t kWidth = hn::MaxLanes(Floats());
  constexpr std::size_t kParts = kSumLanes / kWidth;
  const auto zero = hn::Zero(d);
  const auto smallest = hn::Set(d, 1.17549435e-38F);
  RowSummary result;
  auto largest = zero;
  auto nan = hn::MaskFromVec(zero);
  hn::Vec<Floats> sums[kParts];
  const auto take = [&](const float* from, std::size_t part) HWY_ATTR {
    const auto w = hn::LoadU(d, from);
    nan = hn::Or(nan, hn::IsNaN(w));
    largest = hn::IfThenElse(hn::Gt(w, largest), w, largest);
    // Values below the normal floats add less than the result can show.
    const auto counts = hn::Ge(w, smallest);
    const auto safe = hn::IfThenElse(counts, w, hn::Set(d, 1.0F));
    sums[part] = hn::NegMulAdd(safe, log2_of(d, safe), sums[part]);
  };
  for (std::size_t block = 0; block < count; block += kBlock) {
    const std::size_t end = std::min(count, block + kBlock);
    for (std::size_t part = 0; part < kParts; ++part) sums[part] = zero;
    std::size_t j = block;
    for (; j + kSumLanes <= end; j += kSumLanes) {
      for (std::size_t part = 0; part < kParts; ++part) take(weights + j + part * kWidth, part);
    }
    if (j < end) {
      float last[kSumLanes] = {};
      std::copy(weights + j, weights + end, last);
      for (std::size_t part = 0; part < kParts; ++part) take(last + part * kWidth, part);
    }
    float lanes[kSumLanes];
    for (std::size_t part = 0; part < kParts; ++part) hn::StoreU(sums[part], d, lanes + part * kWidth);
    for (float lane : lanes) result.entropy_bits += static_cast<double>(lane);
  }
  result.largest = hn::GetLane(hn::MaxOfLanes(d, largest));
  result.has_nan = !hn::AllFalse(d, nan);
  return result;
}

// So many values lie before the zeros at the end, rounded up to pieces of kSumLanes.
std::size_t count_without_zeros(const float* weights, std::size_t count) {
  const Floats d;
  constexpr std::size_t kWidth = hn::MaxLanes(Floats());
  constexpr std::size_t kPieces = 4;  // that are looked at together
  const auto zero = hn::Zero(d);
  // A NaN is no zero.
  const auto some = [&](std::size_t begin, std::size_t pieces) HWY_ATTR {
    auto found = hn::MaskFromVec(zero);
    for (std::size_t j = begin; j < begin + pieces * kSumLanes; j += kWidth) {
      found = hn::Or(found, hn::Not(hn::Eq(hn::LoadU(d, weights + j), zero)));
    }
    return !hn::AllFalse(d, found);
  };
  std::size_t end = count / kSumLanes * kSumLanes;
  if (std::any_of(weights + end, weights + count, [](float weight) { return weight != 0; })) return count;
  while (end >= kPieces * kSumLanes && !some(end - kPieces * kSumLanes, kPieces)) end -= kPieces * kSumLanes;
  while (end > 0 && !some(end - kSumLanes, 1)) end -= kSumLanes;
  return end;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {

HWY_EXPORT(summary);

HWY_EXPORT(count_without_zeros);

std::span<const float> without_zeros_at_end(std::span<const float> weights) {
  return weights.first(HWY_DYNAMIC_DISPATCH(count_without_zeros)(weights.data(), weights.size()));
}

RowSummary summary_of_row(std::span<const float> weights) {
  return HWY_DYNAMIC_DISPATCH(summary)(weights.data(), weights.size());
}

}  // namespace headscope
#endif

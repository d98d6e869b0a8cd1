#include "core/tensor/block_sums.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/block_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats
constexpr std::size_t kSumLanes = 16;
constexpr std::size_t kWidth = hn::MaxLanes(Wide());
constexpr std::size_t kParts = kSumLanes / kWidth;

BlockSums sums(const float* values, std::size_t count, float origin) {
  const Wide wide;
  const Narrow narrow;
  const auto about = hn::Set(wide, origin);
  const auto instead = hn::Set(narrow, origin);
  hn::Vec<Wide> deviations[kParts], squares[kParts];
  for (std::size_t part = 0; part < kParts; ++part) deviations[part] = squares[part] = hn::Zero(wide);
  auto low = instead, high = instead;
  BlockSums result;
  const auto take = [&](const float* from, std::size_t part) HWY_ATTR {
    const auto value = hn::LoadU(narrow, from);
    const auto finite = hn::IsFinite(value);
    auto kept = value;
    if (HWY_LIKELY(hn::AllTrue(narrow, finite))) {
      result.finite += static_cast<std::int64_t>(kWidth);
    } else {
      // The origin in place of others: neither the sums nor the ends notice.
      kept = hn::IfThenElse(finite, value, instead);
      result.finite += static_cast<std::int64_t>(hn::CountTrue(narrow, finite));
      result.nan += static_cast<std::int64_t>(hn::CountTrue(narrow, hn::IsNaN(value)));
    }
    low = hn::Min(low, kept);
    high = hn::Max(high, kept);
    const auto deviation = hn::Sub(hn::PromoteTo(wide, kept), about);
    deviations[part] = hn::Add(deviations[part], deviation);
    squares[part] = hn::MulAdd(deviation, deviation, squares[part]);
  };
  std::size_t j = 0;
  for (; j + kSumLanes <= count; j += kSumLanes) {
    for (std::size_t part = 0; part < kParts; ++part) take(values + j + part * kWidth, part);
  }
  if (j < count) {
    float last[kSumLanes];
    std::fill_n(last, kSumLanes, origin);
    std::copy(values + j, values + count, last);
    for (std::size_t part = 0; part < kParts; ++part) take(last + part * kWidth, part);
    result.finite -= static_cast<std::int64_t>(kSumLanes - (count - j));
  }
  double lanes[2][kSumLanes];
  for (std::size_t part = 0; part < kParts; ++part) {
    hn::StoreU(deviations[part], wide, lanes[0] + part * kWidth);
    hn::StoreU(squares[part], wide, lanes[1] + part * kWidth);
  }
  for (std::size_t lane = 0; lane < kSumLanes; ++lane) {
    result.deviations += lanes[0][lane];
    result.squares += lanes[1][lane];
  }
  result.low = hn::GetLane(hn::MinOfLanes(narrow, low));
  result.high = hn::GetLane(hn::MaxOfLanes(narrow, high));
  return result;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {

HWY_EXPORT(sums);

BlockSums sums_of_block(const float* values, std::size_t count, float origin) {
  return HWY_DYNAMIC_DISPATCH(sums)(values, count, origin);
}

}  // namespace headscope
#endif

#include "core/tensor/row_sums.h"

#include <algorithm>
#include <cstdlib>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/row_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kSums = 4;
using Wide = hn::CappedTag<double, kSums>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats
constexpr std::size_t kWidth = hn::MaxLanes(Wide());
constexpr std::size_t kParts = kSums / kWidth;

// The four sums of term(values, j), which is given kWidth values as doubles and where they begin; up to the last
// multiple of four, where `end` is set.
template <typename Term>
HWY_INLINE void sum_up(const float* w, std::size_t count, double (&lanes)[kSums], std::size_t& end, const Term& term) {
  const Wide wide;
  hn::Vec<Wide> sums[kParts];
  for (std::size_t part = 0; part < kParts; ++part) sums[part] = hn::Zero(wide);
  for (end = 0; end + kSums <= count; end += kSums) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t j = end + part * kWidth;
      sums[part] = hn::Add(sums[part], term(hn::PromoteTo(wide, hn::LoadU(Narrow(), w + j)), part));
    }
  }
  for (std::size_t part = 0; part < kParts; ++part) hn::StoreU(sums[part], wide, lanes + part * kWidth);
}

double together(const double (&lanes)[kSums]) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

double plain_sum(const float* w, std::size_t count) {
  double lanes[kSums];
  std::size_t j = 0;
  sum_up(w, count, lanes, j, [](hn::Vec<Wide> values, std::size_t) HWY_ATTR { return values; });
  for (std::size_t lane = 0; j < count; ++j, ++lane) lanes[lane] += static_cast<double>(w[j]);
  return together(lanes);
}

double distance_sum(const float* w, std::size_t count, std::int64_t i) {
  const Wide wide;
  const auto step = hn::Set(wide, static_cast<double>(kSums));
  hn::Vec<Wide> places[kParts];  // j - i, exact
  for (std::size_t part = 0; part < kParts; ++part) {
    places[part] = hn::Iota(wide, static_cast<double>(static_cast<std::int64_t>(part * kWidth) - i));
  }
  double lanes[kSums];
  std::size_t j = 0;
  sum_up(w, count, lanes, j, [&](hn::Vec<Wide> values, std::size_t part) HWY_ATTR {
    const auto distance = hn::Abs(places[part]);
    places[part] = hn::Add(places[part], step);
    return hn::Mul(values, distance);
  });
  for (; j < count; ++j) {
    lanes[0] += static_cast<double>(w[j]) * static_cast<double>(std::abs(i - static_cast<std::int64_t>(j)));
  }
  return together(lanes);
}

std::size_t first_place(const float* w, std::size_t count, float value) {
  const hn::CappedTag<float, 16> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::CappedTag<float, 16>());
  const auto wanted = hn::Set(d, value);
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    const std::intptr_t found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, w + j), wanted));
    if (found >= 0) return j + static_cast<std::size_t>(found);
  }
  return static_cast<std::size_t>(std::find(w + j, w + count, value) - w);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {

HWY_EXPORT(plain_sum);
HWY_EXPORT(distance_sum);
HWY_EXPORT(first_place);

double sum_of_row(std::span<const float> w) {
  return HWY_DYNAMIC_DISPATCH(plain_sum)(w.data(), w.size());
}

double distance_of_row(std::span<const float> w, std::int64_t i) {
  return HWY_DYNAMIC_DISPATCH(distance_sum)(w.data(), w.size(), i);
}

std::size_t place_in_row(std::span<const float> w, float value) {
  return HWY_DYNAMIC_DISPATCH(first_place)(w.data(), w.size(), value);
}

}  // namespace headscope
#endif

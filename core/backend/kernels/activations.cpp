#include "core/backend/kernels/activations.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/activations.cpp"
#include "hwy/foreach_target.h"

#include <algorithm>
#include <array>

#include "core/backend/kernels/exp-inl.h"
#include "core/backend/kernels/micro_kernel-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {

// x / (1 + exp(-y)), where neither side overflows.
HWY_INLINE FloatVector times_sigmoid(FloatVector x, FloatVector y) {
  const FloatTag d;
  const FloatVector one = hn::Set(d, 1.0F);
  const FloatVector e = exp_of_negative(hn::Neg(hn::Abs(y)));
  const FloatVector above = hn::IfThenElse(hn::Lt(y, hn::Zero(d)), e, one);
  return hn::Div(hn::Mul(x, above), hn::Add(one, e));
}

struct Silu {
  static HWY_INLINE FloatVector of(FloatVector x) { return times_sigmoid(x, x); }
};

struct GeluTanh {
  // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u))
  static HWY_INLINE FloatVector of(FloatVector x) {
    const FloatTag d;
    constexpr float kTwiceRoot = 1.5957691216F;  // 2 sqrt(2 / pi)
    const FloatVector inner = hn::MulAdd(hn::Mul(x, x), hn::Set(d, kTwiceRoot * 0.044715F), hn::Set(d, kTwiceRoot));
    return times_sigmoid(x, hn::Mul(x, inner));
  }
};

struct Gelu {
  // With z = |x| / sqrt(2) and t = 1 / (1 + z / 2), erfc(z) exp(z^2) is t times a polynomial of t, fitted for the
  // smallest largest relative error (4e-8) over 0 <= z <= 9.5; beyond, exp(-z^2) is 0.
  static HWY_INLINE FloatVector of(FloatVector x) {
    const FloatTag d;
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatVector t = hn::Div(one, hn::MulAdd(hn::Abs(x), hn::Set(d, 0.353553390593F), one));
    FloatVector p = hn::Set(d, -0x1.e271p-5F);
    p = hn::MulAdd(p, t, hn::Set(d, 0x1.2284020p-2F));
    p = hn::MulAdd(p, t, hn::Set(d, -0x1.f10ae6p-2F));
    p = hn::MulAdd(p, t, hn::Set(d, 0x1.1a9cbap-2F));
    p = hn::MulAdd(p, t, hn::Set(d, -0x1.9c9f54p-6F));
    p = hn::MulAdd(p, t, hn::Set(d, 0x1.9dd836p-3F));
    p = hn::MulAdd(p, t, hn::Set(d, 0x1.f2327ep-3F));
    p = hn::MulAdd(p, t, hn::Set(d, 0x1.21214cp-2F));
    p = hn::MulAdd(p, t, hn::Set(d, 0x1.20db98p-2F));
    const FloatVector below = exp_of_negative(hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5F)));
    const FloatVector tail = hn::Mul(hn::Mul(below, hn::Mul(p, t)), hn::Set(d, 0.5F));  // Phi(-|x|)
    return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail)));
  }
};

template <typename Function>
HWY_INLINE void for_values(float* values, std::int64_t count) {
  const FloatTag d;
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) hn::StoreU(Function::of(hn::LoadU(d, values + j)), d, values + j);
  if (j == count) return;
  std::array<float, static_cast<std::size_t>(kLanes)> rest{};
  std::copy(values + j, values + count, rest.begin());
  hn::StoreU(Function::of(hn::LoadU(d, rest.data())), d, rest.data());
  std::copy_n(rest.begin(), count - j, values + j);
}

void gelu(float* values, std::int64_t count) {
  for_values<Gelu>(values, count);
}

void gelu_tanh(float* values, std::int64_t count) {
  for_values<GeluTanh>(values, count);
}

void silu(float* values, std::int64_t count) {
  for_values<Silu>(values, count);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(gelu);
HWY_EXPORT(gelu_tanh);
HWY_EXPORT(silu);
}  // namespace

void gelu_values(float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(gelu)(values, count);
}

void gelu_tanh_values(float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(gelu_tanh)(values, count);
}

void silu_values(float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(silu)(values, count);
}

}  // namespace headscope
#endif

// exp for what a softmax needs: numbers that are 0 or less.
//
// x = n ln2 + r with n an integer and |r| <= ln2 / 2, then exp(x) = 2^n exp(r) with a polynomial of degree 6 for
// exp(r), fitted for the smallest largest relative error (2e-9). n ln2 is taken off in two parts of which the first is
// exact (Cody and Waite 1980), also where a product cannot be fused with a sum. 2^n is multiplied in one rounding, so
// that results below 2^-126 are rounded once.
//
// Relative error at most 1e-7 while the result is a normal number; below exp(-103.98) it is exactly 0, also for -inf.
// exp(NaN) is NaN, exp(0) exactly 1. AVX-512 and AVX2 give the same bits.
//
// Include it as micro_kernel-inl.h says.

#include <cstdint>

#include "core/backend/kernels/micro_kernel-inl.h"
#include "hwy/highway.h"

#if defined(HEADSCOPE_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_EXP_INL_H
#undef HEADSCOPE_EXP_INL_H
#else
#define HEADSCOPE_EXP_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {

// p * 2^n for 0.5 < p < 2 and integers -252 <= n <= 0, rounded once; 0 where `counts` is false, whatever p and n are.
template <typename Mask>
HWY_INLINE FloatVector times_power_of_two(Mask counts, FloatVector p, FloatVector n) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return FloatVector{_mm512_maskz_scalef_ps(counts.raw, p.raw, n.raw)};
#else
  // Two factors that are normal numbers; the first product is exact.
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto bias = hn::Set(di, 127);
  const auto first = hn::ShiftLeft<23>(hn::Add(half, bias));
  const auto second = hn::ShiftLeft<23>(hn::Add(hn::Sub(whole, half), bias));
  return hn::IfThenElseZero(counts, hn::Mul(hn::Mul(p, hn::BitCast(d, first)), hn::BitCast(d, second)));
#endif
}

HWY_INLINE FloatVector exp_of_negative(FloatVector x) {
  const FloatTag d;
  // Lanes whose result is 0 are set to 0: arithmetic that underflows is a hundred times slower, and hidden cells are
  // many.
  const auto counts = hn::Not(hn::Lt(x, hn::Set(d, -104.0F)));
#if !(HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86)
  x = hn::IfThenElseZero(counts, x);
#endif
  // Adding 1.5 * 2^23 rounds to an integer.
  const FloatVector rounder = hn::Set(d, 0x1.8p23F);
  const FloatVector n = hn::Sub(hn::MulAdd(x, hn::Set(d, 0x1.715476p+0F), rounder), rounder);
  FloatVector r = hn::NegMulAdd(n, hn::Set(d, 0x1.63p-1F), x);
  r = hn::NegMulAdd(n, hn::Set(d, -0x1.bd0106p-13F), r);
  FloatVector p = hn::Set(d, 0x1.6ae6f6p-10F);
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.1267cp-7F));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.555824p-5F));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.555418p-3F));
  p = hn::MulAdd(p, r, hn::Set(d, 0x1.fffffcp-2F));
#if HWY_TARGET <= HWY_AVX2 || HWY_ARCH_ARM_A64
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
#else
  // Without fused operations: small terms are added first.
  p = hn::Add(hn::Set(d, 1.0F), hn::Add(r, hn::Mul(hn::Mul(r, r), p)));
#endif
  return times_power_of_two(counts, p, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#endif  // once a target

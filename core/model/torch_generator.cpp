#include <cmath>
#include <numbers>
#include <utility>

#include "core/model/seeded.h"

namespace headscope {
namespace {

constexpr int kStateSize = 624;
constexpr int kShift = 397;
constexpr std::int64_t kBlock = 16;  // torch transforms normals in blocks of this many

float unit_uniform(std::uint32_t bits) {
  return static_cast<float>(bits & 0xFFFFFFu) * 0x1p-24f;
}

// Box-Muller on pairs (j, j + 8). The angle is rounded to float as torch's vector kernel rounds it: at radius 5.7 one
// unit in the last place of the angle moves the result by more than the promised 2e-6.
void transform_block(float* block) {
  constexpr float kTwoPi = 2.0f * std::numbers::pi_v<float>;
  for (int j = 0; j < kBlock / 2; ++j) {
    const float u1 = 1.0f - block[j];
    const float log_u1 = static_cast<float>(std::log(static_cast<double>(u1)));
    const float radius = std::sqrt(-2.0f * log_u1);
    const double theta = kTwoPi * block[j + kBlock / 2];
    block[j] = radius * static_cast<float>(std::cos(theta));
    block[j + kBlock / 2] = radius * static_cast<float>(std::sin(theta));
  }
}

}  // namespace

TorchGenerator::TorchGenerator(std::uint64_t seed, CancelToken cancel) : cancel_(std::move(cancel)) {
  state_[0] = static_cast<std::uint32_t>(seed & 0xFFFFFFFFu);
  for (std::uint32_t i = 1; i < kStateSize; ++i) {
    state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

std::uint32_t TorchGenerator::next_u32() {
  if (next_ == kStateSize) {
    cancel_.check();
    for (int i = 0; i < kStateSize; ++i) {
      const std::uint32_t mixed = (state_[i] & 0x80000000u) | (state_[(i + 1) % kStateSize] & 0x7FFFFFFFu);
      state_[i] = state_[(i + kShift) % kStateSize] ^ (mixed >> 1) ^ ((mixed & 1u) ? 0x9908B0DFu : 0u);
    }
    next_ = 0;
  }
  std::uint32_t y = state_[next_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680u;
  y ^= (y << 15) & 0xEFC60000u;
  return y ^ (y >> 18);
}

void TorchGenerator::uniform(std::int64_t n, float low, float high, float* out) {
  const float width = high - low;
  // One rounding, as the fused multiply-add of torch's kernel gives it.
  for (std::int64_t i = 0; i < n; ++i) out[i] = std::fma(unit_uniform(next_u32()), width, low);
}

void TorchGenerator::randn(std::int64_t n, float* out) {
  if (n >= kBlock) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = unit_uniform(next_u32());
    for (std::int64_t i = 0; i + kBlock <= n; i += kBlock) {
      cancel_.check();
      transform_block(out + i);
    }
    if (n % kBlock != 0) {
      float* tail = out + n - kBlock;
      for (std::int64_t i = 0; i < kBlock; ++i) tail[i] = unit_uniform(next_u32());
      transform_block(tail);
    }
    return;
  }
  const auto unit_double = [this] {
    const std::uint64_t high_word = next_u32();
    const std::uint64_t low_word = next_u32();
    const std::uint64_t bits = (high_word << 32) | low_word;
    return static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
  };
  for (std::int64_t i = 0; i < n; ++i) {
    if (has_spare_) {
      has_spare_ = false;
      out[i] = static_cast<float>(spare_);
      continue;
    }
    const double u1 = unit_double();
    const double u2 = unit_double();
    const double radius = std::sqrt(-2.0 * std::log1p(-u2));
    const double theta = 2.0 * std::numbers::pi * u1;
    spare_ = radius * std::sin(theta);
    has_spare_ = true;
    out[i] = static_cast<float>(radius * std::cos(theta));
  }
}

}  // namespace headscope

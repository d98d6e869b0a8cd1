// The blocks of GGUF's types, as the format's public description gives them. Numbers of a block are x[0], x[1], ...;
// d, m and dmin are float16, q unsigned whole numbers, low bits first. Every product below is exact in float32 (11 bits
// times at most 8 and 6), so that a number is rounded once, whatever the order of the operations.
#include "core/io/gguf_types.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/io/bytes.h"

namespace headscope {
namespace {

float half_at(const std::byte* at) {
  return float_from_half(load<std::uint16_t>(at));
}

std::uint32_t byte_at(const std::byte* at) {
  return std::to_integer<std::uint32_t>(*at);
}

void unpack_f32(const std::byte* block, float* values) {
  *values = load<float>(block);
}

void unpack_f16(const std::byte* block, float* values) {
  *values = half_at(block);
}

void unpack_bf16(const std::byte* block, float* values) {
  *values = float_from_bfloat16(load<std::uint16_t>(block));
}

// d, 32 signed bytes q: x[j] = d q[j].
void unpack_q8_0(const std::byte* block, float* values) {
  const float d = half_at(block);
  for (int j = 0; j < 32; ++j) values[j] = d * static_cast<float>(load<std::int8_t>(block + 2 + j));
}

// 16 bytes hold q[0..16) in their low halves and q[16..32) in their high ones.
std::uint32_t nibble(const std::byte* packed, int j) {
  return j < 16 ? byte_at(packed + j) & 15u : byte_at(packed + j - 16) >> 4;
}

// d, q of 4 bits: x = d (q - 8).
void unpack_q4_0(const std::byte* block, float* values) {
  const float d = half_at(block);
  for (int j = 0; j < 32; ++j) values[j] = d * (static_cast<float>(nibble(block + 2, j)) - 8.0F);
}

// d, m, q of 4 bits: x = d q + m.
void unpack_q4_1(const std::byte* block, float* values) {
  const float d = half_at(block), m = half_at(block + 2);
  for (int j = 0; j < 32; ++j) values[j] = d * static_cast<float>(nibble(block + 4, j)) + m;
}

// d, 32 fifth bits, then the four lower bits of q: x = d (q - 16).
void unpack_q5_0(const std::byte* block, float* values) {
  const float d = half_at(block);
  const auto fifth = load<std::uint32_t>(block + 2);
  for (int j = 0; j < 32; ++j) {
    const std::uint32_t q = nibble(block + 6, j) | (((fifth >> j) & 1u) << 4);
    values[j] = d * (static_cast<float>(q) - 16.0F);
  }
}

// d, m, 32 fifth bits, then the four lower bits of q: x = d q + m.
void unpack_q5_1(const std::byte* block, float* values) {
  const float d = half_at(block), m = half_at(block + 2);
  const auto fifth = load<std::uint32_t>(block + 4);
  for (int j = 0; j < 32; ++j) {
    const std::uint32_t q = nibble(block + 8, j) | (((fifth >> j) & 1u) << 4);
    values[j] = d * static_cast<float>(q) + m;
  }
}

// Eight groups of 32 numbers have a scale and a least value of 6 bits each, in 12 bytes s: of group g < 4 they are the
// lower six bits of s[g] and s[g + 4]; of the others the low and the high half of s[g + 4], and above these the two
// highest bits of s[g - 4] and s[g].
struct GroupScale {
  float scale, least;
};
GroupScale group_scale(const std::byte* s, int g) {
  if (g < 4) return {static_cast<float>(byte_at(s + g) & 63u), static_cast<float>(byte_at(s + g + 4) & 63u)};
  const std::uint32_t low = byte_at(s + g + 4);
  return {static_cast<float>((low & 15u) | ((byte_at(s + g - 4) >> 6) << 4)),
          static_cast<float>((low >> 4) | ((byte_at(s + g) >> 6) << 4))};
}

// d, dmin, the groups' scales, 128 bytes of q in 4 bits. 32 bytes hold two groups, the first in their low halves:
// x = d scale q - dmin least.
void unpack_q4_k(const std::byte* block, float* values) {
  const float d = half_at(block), dmin = half_at(block + 2);
  const std::byte* q = block + 16;
  for (int g = 0; g < 8; g += 2, q += 32, values += 64) {
    const GroupScale low = group_scale(block + 4, g), high = group_scale(block + 4, g + 1);
    const float low_scale = d * low.scale, low_least = dmin * low.least;
    const float high_scale = d * high.scale, high_least = dmin * high.least;
    for (int l = 0; l < 32; ++l) {
      values[l] = low_scale * static_cast<float>(byte_at(q + l) & 15u) - low_least;
      values[l + 32] = high_scale * static_cast<float>(byte_at(q + l) >> 4) - high_least;
    }
  }
}

// As Q4_K, and 32 bytes of fifth bits between scales and q: bit g of byte l is that of number l of group g.
void unpack_q5_k(const std::byte* block, float* values) {
  const float d = half_at(block), dmin = half_at(block + 2);
  const std::byte* fifth = block + 16;
  const std::byte* q = block + 48;
  for (int g = 0; g < 8; g += 2, q += 32, values += 64) {
    const GroupScale low = group_scale(block + 4, g), high = group_scale(block + 4, g + 1);
    const float low_scale = d * low.scale, low_least = dmin * low.least;
    const float high_scale = d * high.scale, high_least = dmin * high.least;
    for (int l = 0; l < 32; ++l) {
      const std::uint32_t bits = byte_at(fifth + l) >> g;
      const std::uint32_t first = (byte_at(q + l) & 15u) | ((bits & 1u) << 4);
      const std::uint32_t second = (byte_at(q + l) >> 4) | (((bits >> 1) & 1u) << 4);
      values[l] = low_scale * static_cast<float>(first) - low_least;
      values[l + 32] = high_scale * static_cast<float>(second) - high_least;
    }
  }
}

// 128 bytes of lower halves, 64 bytes of two upper bits, 16 signed scales, d. Each half of the block has four runs of
// 32 numbers: byte l of its upper bits holds those of number l of all runs, the lower halves of runs 0 and 1 are the
// low ones of its first and second 32 bytes, those of runs 2 and 3 the high ones. x = d scale (q - 32), with a scale
// for 16 numbers.
void unpack_q6_k(const std::byte* block, float* values) {
  const float d = half_at(block + 208);
  for (int half = 0; half < 2; ++half) {
    const std::byte* low = block + 64 * half;
    const std::byte* upper = block + 128 + 32 * half;
    const std::byte* scales = block + 192 + 8 * half;
    for (int run = 0; run < 4; ++run, values += 32) {
      const std::byte* lows = low + (run % 2 == 0 ? 0 : 32);
      const int low_shift = run < 2 ? 0 : 4, upper_shift = 2 * run;
      for (int l = 0; l < 32; ++l) {
        const float scale = d * static_cast<float>(load<std::int8_t>(scales + 2 * run + l / 16));
        const std::uint32_t q =
            ((byte_at(lows + l) >> low_shift) & 15u) | (((byte_at(upper + l) >> upper_shift) & 3u) << 4);
        values[l] = scale * (static_cast<float>(q) - 32.0F);
      }
    }
  }
}

// OCP Microscaling: a byte e, the scale 2^(e - 127), or NaN where it is 255; q of 4 bits, which are a sign, two bits of
// exponent and one of mantissa (E2M1): x = scale times +-{0, 0.5, 1, 1.5, 2, 3, 4, 6}.
void unpack_mxfp4(const std::byte* block, float* values) {
  constexpr std::array<float, 8> kSizes = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  const std::uint32_t e = byte_at(block);
  const float scale = e == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, static_cast<int>(e) - 127);
  for (int j = 0; j < 32; ++j) {
    const std::uint32_t q = nibble(block + 1, j);
    values[j] = (q & 8u ? -scale : scale) * kSizes[q & 7u];
  }
}

constexpr std::array kTypes = {
    GgufType{0, "F32", 1, 4, unpack_f32},
    GgufType{1, "F16", 1, 2, unpack_f16},
    GgufType{30, "BF16", 1, 2, unpack_bf16},
    GgufType{8, "Q8_0", 32, 34, unpack_q8_0},
    GgufType{2, "Q4_0", 32, 18, unpack_q4_0},
    GgufType{3, "Q4_1", 32, 20, unpack_q4_1},
    GgufType{6, "Q5_0", 32, 22, unpack_q5_0},
    GgufType{7, "Q5_1", 32, 24, unpack_q5_1},
    GgufType{12, "Q4_K", 256, 144, unpack_q4_k},
    GgufType{13, "Q5_K", 256, 176, unpack_q5_k},
    GgufType{14, "Q6_K", 256, 210, unpack_q6_k},
    GgufType{39, "MXFP4", 32, 17, unpack_mxfp4},
    GgufType{9, "Q8_1", 32, 36},
    GgufType{10, "Q2_K", 256, 84},
    GgufType{11, "Q3_K", 256, 110},
    GgufType{15, "Q8_K", 256, 292},
    GgufType{16, "IQ2_XXS", 256, 66},
    GgufType{17, "IQ2_XS", 256, 74},
    GgufType{18, "IQ3_XXS", 256, 98},
    GgufType{19, "IQ1_S", 256, 50},
    GgufType{20, "IQ4_NL", 32, 18},
    GgufType{21, "IQ3_S", 256, 110},
    GgufType{22, "IQ2_S", 256, 82},
    GgufType{23, "IQ4_XS", 256, 136},
    GgufType{29, "IQ1_M", 256, 56},
    GgufType{34, "TQ1_0", 256, 54},
    GgufType{35, "TQ2_0", 256, 66},
    GgufType{24, "I8", 1, 1},
    GgufType{25, "I16", 1, 2},
    GgufType{26, "I32", 1, 4},
    GgufType{27, "I64", 1, 8},
    GgufType{28, "F64", 1, 8},
};

}  // namespace

std::span<const GgufType> gguf_types() {
  return kTypes;
}

const GgufType* gguf_type(std::uint32_t number) {
  for (const GgufType& type : kTypes) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

bool is_read_gguf_type(const std::string& dtype) {
  for (const GgufType& type : kTypes) {
    if (type.unpack != nullptr && dtype == type.name) return true;
  }
  return false;
}

std::string read_gguf_types() {
  std::string names;
  for (const GgufType& type : kTypes) {
    if (type.unpack != nullptr) names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  return names;
}

}  // namespace headscope

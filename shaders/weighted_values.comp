#version 430 core
// Mirrors Backend::weighted_values of core/backend/backend.h: context = sum_j weight * value, in the order of j. Where
// a value is not finite (ANY_VALUE), a hidden cell whose weight is 0 is not read.
#include "numbers.glsl"
#ifdef ANY_VALUE
#include "hidden_cells.glsl"
#endif

layout(local_size_x = 16, local_size_y = 16) in;

layout(std430, binding = 0) readonly buffer Weights { float weights[]; };    // [matrices, queries, keys]
layout(std430, binding = 1) readonly buffer Values { float values[]; };      // [batch * groups, keys, features]
layout(std430, binding = 3) writeonly buffer Context { float context[]; };   // [matrices, queries, features]

uniform uint queries;
uniform uint features;
uniform uint keys;
// As in dot_products.comp.
uniform uint heads;
uniform uint first_head;
uniform uint heads_per_group;
uniform uint first_group;
uniform uint groups;

const uint kSide = 64u;
const uint kDepth = 16u;
const uint kNotRead = 0x80000000u;  // stands for a weight of 0 whose value counts for nothing

shared uint weight_strip[kDepth][kSide + 1u];  // the bits of a float
shared float value_strip[kDepth][kSide];

uint weight_bits(uint row, uint j) {
  float weight = weights[row * keys + j];
#ifdef ANY_VALUE
  if (weight == 0.0) return is_hidden(row, j) ? kNotRead : 0u;
#endif
  return floatBitsToUint(weight);
}

void main() {
  uint matrix = gl_WorkGroupID.z;
  uint group = matrix / heads * groups + (first_head + matrix % heads) / heads_per_group - first_group;
  uint first_row = gl_WorkGroupID.y * kSide;
  uint first_column = gl_WorkGroupID.x * kSide;
  uint thread = gl_LocalInvocationIndex;
  uvec2 place = gl_LocalInvocationID.xy;

  float sums[4][4];
  for (uint r = 0u; r < 4u; ++r) {
    for (uint c = 0u; c < 4u; ++c) sums[r][c] = 0.0;
  }
  for (uint begin = 0u; begin < keys; begin += kDepth) {
    for (uint load = thread; load < kSide * kDepth; load += 256u) {
      uint j = begin + load % kDepth;
      uint row = first_row + load / kDepth;
      weight_strip[load % kDepth][load / kDepth] =
          row < queries && j < keys ? weight_bits(matrix * queries + row, j) : 0u;
      uint key = begin + load / kSide;
      uint column = first_column + load % kSide;
      value_strip[load / kSide][load % kSide] =
          column < features && key < keys ? values[(group * keys + key) * features + column] : 0.0;
    }
    barrier();
    uint count = min(kDepth, keys - begin);
    for (uint k = 0u; k < count; ++k) {
      float y[4];
      for (uint c = 0u; c < 4u; ++c) y[c] = value_strip[k][place.x + 16u * c];
      for (uint r = 0u; r < 4u; ++r) {
        uint bits = weight_strip[k][place.y + 16u * r];
#ifdef ANY_VALUE
        if (bits == kNotRead) continue;
#endif
        for (uint c = 0u; c < 4u; ++c) sums[r][c] = fma(uintBitsToFloat(bits), y[c], sums[r][c]);
      }
    }
    barrier();
  }
  for (uint r = 0u; r < 4u; ++r) {
    uint row = first_row + place.y + 16u * r;
    for (uint c = 0u; c < 4u; ++c) {
      uint column = first_column + place.x + 16u * c;
      if (row < queries && column < features) {
        context[(matrix * queries + row) * features + column] = is_nan(sums[r][c]) ? kPlainNan : sums[r][c];
      }
    }
  }
}

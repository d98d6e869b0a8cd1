#version 430 core
// Mirrors Backend::linear (y = x W^T + b) and Backend::query_key_products (raw_scores = query . key) of
// core/backend/backend.h: every result is one row of `left` times one row of `right`, summed in the order of k,
// beginning with the bias.
#include "numbers.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

layout(std430, binding = 0) readonly buffer Left { float left[]; };        // [matrices, rows, depth]
layout(std430, binding = 1) readonly buffer Right { float right[]; };      // [batch * groups, columns, depth]
layout(std430, binding = 2) readonly buffer Bias { float bias[]; };        // [columns], when has_bias
layout(std430, binding = 3) writeonly buffer Result { float result[]; };   // [matrices, rows, columns]

uniform uint rows;
uniform uint columns;
uniform uint depth;
uniform bool has_bias;
// matrix = (batch, head), head counted from first_head; its right side is (batch, head / heads_per_group), counted from
// first_group.
uniform uint heads;
uniform uint first_head;
uniform uint heads_per_group;
uniform uint first_group;
uniform uint groups;

const uint kSide = 64u;   // of the tile of results that one work group computes, 4 x 4 of them a thread
const uint kDepth = 16u;  // of the strips that are shared

shared float left_strip[kDepth][kSide + 1u];
shared float right_strip[kDepth][kSide + 1u];

void main() {
  uint matrix = gl_WorkGroupID.z;
  uint group = matrix / heads * groups + (first_head + matrix % heads) / heads_per_group - first_group;
  uint first_row = gl_WorkGroupID.y * kSide;
  uint first_column = gl_WorkGroupID.x * kSide;
  uint thread = gl_LocalInvocationIndex;
  uvec2 place = gl_LocalInvocationID.xy;

  float sums[4][4];
  for (uint c = 0u; c < 4u; ++c) {
    uint column = first_column + place.x + 16u * c;
    float start = has_bias && column < columns ? bias[column] : 0.0;
    for (uint r = 0u; r < 4u; ++r) sums[r][c] = start;
  }
  for (uint begin = 0u; begin < depth; begin += kDepth) {
    for (uint load = thread; load < kSide * kDepth; load += 256u) {
      uint k = begin + load % kDepth;
      uint line = load / kDepth;
      uint row = first_row + line;
      uint column = first_column + line;
      left_strip[load % kDepth][line] = row < rows && k < depth ? left[(matrix * rows + row) * depth + k] : 0.0;
      right_strip[load % kDepth][line] =
          column < columns && k < depth ? right[(group * columns + column) * depth + k] : 0.0;
    }
    barrier();
    uint count = min(kDepth, depth - begin);
    for (uint k = 0u; k < count; ++k) {
      float x[4], y[4];
      for (uint r = 0u; r < 4u; ++r) x[r] = left_strip[k][place.y + 16u * r];
      for (uint c = 0u; c < 4u; ++c) y[c] = right_strip[k][place.x + 16u * c];
      for (uint r = 0u; r < 4u; ++r) {
        for (uint c = 0u; c < 4u; ++c) sums[r][c] = fma(x[r], y[c], sums[r][c]);
      }
    }
    barrier();
  }
  for (uint r = 0u; r < 4u; ++r) {
    uint row = first_row + place.y + 16u * r;
    for (uint c = 0u; c < 4u; ++c) {
      uint column = first_column + place.x + 16u * c;
      if (row < rows && column < columns) {
        result[(matrix * rows + row) * columns + column] = is_nan(sums[r][c]) ? kPlainNan : sums[r][c];
      }
    }
  }
}

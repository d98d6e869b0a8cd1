#version 430 core
// Mirrors Backend::linear (y = x W^T + b) and Backend::query_key_products (raw_scores = query . key) of
// core/backend/backend.h: every result is one row of `left` times one row of `right`, summed in the order of k,
// beginning with the bias.
#include "numbers.glsl"

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Left { float left[]; };         // [matrices, left_rows, depth]
layout(std430, binding = 1) readonly buffer Right { float right[]; };       // [batch * groups, right_rows, depth]
layout(std430, binding = 2) readonly buffer Bias { float bias[]; };         // [columns], when has_bias
layout(std430, binding = 3) writeonly buffer Result { float result[]; };    // [matrices, rows, columns]
layout(std430, binding = 4) writeonly buffer Result4 { vec4 result4[]; };   // the same, when columns are a multiple of 4

uniform uint rows;        // of the result: those of `left` from first_left on
uniform uint first_left;
uniform uint left_rows;
uniform uint columns;     // of the result: rows of `right` from first_right on
uniform uint first_right;
uniform uint right_rows;
uniform uint depth;
uniform bool has_bias;
// matrix = (batch, head), head counted from first_head; its right side is (batch, head / heads_per_group), counted from
// first_group.
uniform uint heads;
uniform uint first_head;
uniform uint heads_per_group;
uniform uint first_group;
uniform uint groups;

// A work group computes 64 x 64 results, a thread 4 x 4 of them that lie together. While it computes with one strip of
// kDepth, the next one is on its way.
const uint kSide = 64u;
const uint kDepth = 16u;

shared vec4 left_strips[2][kDepth][kSide / 4u + 1u];   // four rows each
shared vec4 right_strips[2][kDepth][kSide / 4u + 1u];

float left_at(uint matrix, uint row, uint k) {
  return row < rows && k < depth ? left[(matrix * left_rows + first_left + row) * depth + k] : 0.0;
}

float right_at(uint group, uint column, uint k) {
  return column < columns && k < depth ? right[(group * right_rows + first_right + column) * depth + k] : 0.0;
}

vec4 left_of(uint matrix, uint row, uint k) {
  return vec4(left_at(matrix, row, k), left_at(matrix, row + 1u, k), left_at(matrix, row + 2u, k),
              left_at(matrix, row + 3u, k));
}

vec4 right_of(uint group, uint column, uint k) {
  return vec4(right_at(group, column, k), right_at(group, column + 1u, k), right_at(group, column + 2u, k),
              right_at(group, column + 3u, k));
}

float bias_at(uint column) {
  return has_bias && column < columns ? bias[column] : 0.0;
}

float plain(float sum) {
  return is_nan(sum) ? kPlainNan : sum;
}

void write_row(uint matrix, uint row, uint column, vec4 sums) {
  if (row >= rows) return;
  uint at = (matrix * rows + row) * columns + column;
  vec4 written = vec4(plain(sums.x), plain(sums.y), plain(sums.z), plain(sums.w));
  if (columns % 4u == 0u) {
    if (column < columns) result4[at / 4u] = written;
    return;
  }
  if (column < columns) result[at] = written.x;
  if (column + 1u < columns) result[at + 1u] = written.y;
  if (column + 2u < columns) result[at + 2u] = written.z;
  if (column + 3u < columns) result[at + 3u] = written.w;
}

void main() {
  uint matrix = gl_WorkGroupID.z;
  uint group = matrix / heads * groups + (first_head + matrix % heads) / heads_per_group - first_group;
  uint first_row = gl_WorkGroupID.y * kSide;
  uint first_column = gl_WorkGroupID.x * kSide;
  uint thread = gl_LocalInvocationIndex;
  uint line = thread / 16u;   // four rows of each side that this thread loads, at k = place
  uint place = thread % 16u;  // and computes: rows of `line`, columns of `place`

  uint column = first_column + place * 4u;
  vec4 start = vec4(bias_at(column), bias_at(column + 1u), bias_at(column + 2u), bias_at(column + 3u));
  vec4 sums0 = start, sums1 = start, sums2 = start, sums3 = start;
  vec4 next_left = left_of(matrix, first_row + line * 4u, place);
  vec4 next_right = right_of(group, first_column + line * 4u, place);
  uint strip = 0u;
  for (uint begin = 0u; begin < depth; begin += kDepth) {
    left_strips[strip][place][line] = next_left;
    right_strips[strip][place][line] = next_right;
    wait_for_all();
    if (begin + kDepth < depth) {
      next_left = left_of(matrix, first_row + line * 4u, begin + kDepth + place);
      next_right = right_of(group, first_column + line * 4u, begin + kDepth + place);
    }
    for (uint k = 0u; k < kDepth; ++k) {
      vec4 x = left_strips[strip][k][line];
      vec4 y = right_strips[strip][k][place];
      sums0 = fma(vec4(x.x), y, sums0);
      sums1 = fma(vec4(x.y), y, sums1);
      sums2 = fma(vec4(x.z), y, sums2);
      sums3 = fma(vec4(x.w), y, sums3);
    }
    strip = 1u - strip;
  }
  uint row = first_row + line * 4u;
  write_row(matrix, row, column, sums0);
  write_row(matrix, row + 1u, column, sums1);
  write_row(matrix, row + 2u, column, sums2);
  write_row(matrix, row + 3u, column, sums3);
}

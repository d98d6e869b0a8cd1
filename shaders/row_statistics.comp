#version 430 core
// Mirrors RowStatistics of core/backend/backend.h, one work group a row: max = the largest score, NaN when there is a
// NaN, -inf when there is no score; sum = sum_j exp(score - max), 0 when there is no score. Every thread takes as many
// steps, a step has no branch, and sums have an array of their own: see README.md.
#include "numbers.glsl"

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer Scores { float scores[]; };           // [rows, keys]
layout(std430, binding = 1) writeonly buffer Maxima { float maxima[]; };          // [rows]
layout(std430, binding = 2) writeonly buffer Sums { float sums[]; };              // [rows]

uniform uint keys;

shared float largest_of[128];
shared float sum_of[128];

// The larger one; NaN when one of them is.
float larger(float a, float b) {
  return is_nan(a) ? a : is_nan(b) ? b : max(a, b);
}

// -inf behind the last key.
float score_at(uint row, uint j) {
  float score = scores[row * keys + min(j, keys - 1u)];
  return j < keys ? score : kMinusInfinity;
}

void main() {
  uint row = gl_WorkGroupID.x;
  uint thread = gl_LocalInvocationIndex;
  float largest = kMinusInfinity;
  for (uint begin = 0u; begin < keys; begin += 128u) largest = larger(largest, score_at(row, begin + thread));
  largest_of[thread] = largest;
  wait_for_all();
  for (uint half_count = 64u; half_count > 0u; half_count /= 2u) {
    if (thread < half_count) largest_of[thread] = larger(largest_of[thread], largest_of[thread + half_count]);
    wait_for_all();
  }
  largest = largest_of[0];

  float sum = 0.0;
  for (uint begin = 0u; begin < keys; begin += 128u) sum += exp_of(score_at(row, begin + thread) - largest);
  sum_of[thread] = sum;
  wait_for_all();
  for (uint half_count = 64u; half_count > 0u; half_count /= 2u) {
    if (thread < half_count) sum_of[thread] += sum_of[thread + half_count];
    wait_for_all();
  }
  if (thread == 0u) {
    bool endless = is_nan(largest) || largest == kPlusInfinity;
    maxima[row] = is_nan(largest) ? kPlainNan : largest;
    sums[row] = largest == kMinusInfinity ? 0.0 : endless ? kPlainNan : sum_of[0];
  }
}

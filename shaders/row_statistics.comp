#version 430 core
// Mirrors RowStatistics of core/backend/backend.h, one work group a row: max = the largest score, NaN when there is a
// NaN, -inf when there is no score; sum = sum_j exp(score - max), 0 when there is no score. The loops have as many steps
// for every thread: see README.md.
#include "numbers.glsl"

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer Scores { float scores[]; };           // [rows, keys]
layout(std430, binding = 1) writeonly buffer Maxima { float maxima[]; };          // [rows]
layout(std430, binding = 2) writeonly buffer Sums { float sums[]; };              // [rows]

uniform uint keys;

shared float numbers[128];

void main() {
  uint row = gl_WorkGroupID.x;
  uint thread = gl_LocalInvocationIndex;
  float largest = kMinusInfinity;
  for (uint begin = 0u; begin < keys; begin += 128u) {
    uint j = begin + thread;
    float score = j < keys ? scores[row * keys + j] : kMinusInfinity;
    if (is_nan(score)) largest = score;
    else if (score > largest && !is_nan(largest)) largest = score;
  }
  numbers[thread] = largest;
  barrier();
  for (uint half_count = 64u; half_count > 0u; half_count /= 2u) {
    if (thread < half_count) {
      float other = numbers[thread + half_count];
      if (is_nan(other) || (!is_nan(numbers[thread]) && other > numbers[thread])) numbers[thread] = other;
    }
    barrier();
  }
  largest = numbers[0];
  barrier();

  float sum = 0.0;
  for (uint begin = 0u; begin < keys; begin += 128u) {
    uint j = begin + thread;
    if (j < keys) sum += exp_of(scores[row * keys + j] - largest);
  }
  numbers[thread] = sum;
  barrier();
  for (uint half_count = 64u; half_count > 0u; half_count /= 2u) {
    if (thread < half_count) numbers[thread] += numbers[thread + half_count];
    barrier();
  }
  if (thread == 0u) {
    bool endless = is_nan(largest) || largest == kPlusInfinity;
    maxima[row] = is_nan(largest) ? kPlainNan : largest;
    sums[row] = largest == kMinusInfinity ? 0.0 : endless ? kPlainNan : numbers[0];
  }
}

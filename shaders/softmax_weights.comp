#version 430 core
// Mirrors Backend::softmax_rows of core/backend/backend.h, in place: weight = exp(score - max) / sum; a row without a
// finite max is NaN. Then finish_weights of core/backend/score_steps.h.
#include "numbers.glsl"
#include "hidden_cells.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Weights { float weights[]; };                // [rows, keys], scores before
layout(std430, binding = 1) readonly buffer Maxima { float maxima[]; };         // [rows]
layout(std430, binding = 2) readonly buffer Sums { float sums[]; };             // [rows]
layout(std430, binding = 3) readonly buffer AllHidden { uint all_hidden[]; };   // [rows], 1: every key is hidden

uniform uint keys;
uniform uint first_key;          // of the keys here, as the mask counts them
uniform bool clears_hidden;      // the variant mask-after-softmax
uniform bool rewrites_hidden_rows;
uniform float hidden_row_value;  // what every weight of a fully hidden row then is

void main() {
  uint row = gl_WorkGroupID.y;
  uint j = gl_GlobalInvocationID.x;
  if (j >= keys) return;
  float largest = maxima[row];
  float weight = kPlainNan;
  if (!is_nan(largest) && abs(largest) != kPlusInfinity) {
    weight = exp_of(weights[row * keys + j] - largest) / sums[row];
  }
  if (clears_hidden && is_hidden(row, first_key + j)) weight = 0.0;
  if (rewrites_hidden_rows && all_hidden[row] != 0u) weight = hidden_row_value;
  weights[row * keys + j] = weight;
}

#version 430 core
// Mirrors score_stage of core/backend/score_steps.h, in place: raw scores become scores, capped_scores or
// masked_scores, by the formulas of core/backend/score_rule.h. A hidden cell's score is not read.
#include "numbers.glsl"
#include "hidden_cells.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Scores { float scores[]; };        // [rows, keys]
layout(std430, binding = 1) readonly buffer Added { float added[]; };  // [added_sizes, queries, keys], when has_added

uniform uint keys;
uniform uint first_key;  // of the keys here, as the mask counts them
uniform float scale;
uniform float softcap;  // 0: none
uniform bool mask_first;  // the mask before the scale
uniform bool caps_added;  // the cap after what the mask adds
uniform bool stops_before_softcap;
uniform bool stops_before_mask;
uniform float hidden_value;  // what a hidden cell gets
uniform bool has_added;
uniform uvec2 added_sizes;  // batches and heads of `added`, 1 for all
uniform uint heads;
uniform uint queries;

float added_at(uint row, uint j) {
  uint matrix = row / queries;
  uint b = added_sizes.x == 1u ? 0u : matrix / heads;
  uint h = added_sizes.y == 1u ? 0u : matrix % heads;
  return added[((b * added_sizes.y + h) * queries + row % queries) * keys + j];
}

void main() {
  uint row = gl_WorkGroupID.y;
  uint j = gl_GlobalInvocationID.x;
  if (j >= keys) return;
  float score = scores[row * keys + j];
  if (mask_first) {
    if (has_added) score += added_at(row, j);
    score *= scale;
  } else {
    score *= scale;
    if (has_added && caps_added) score += added_at(row, j);
    if (softcap != 0.0 && !stops_before_softcap) score = softcap * tanh_of(score / softcap);
    if (has_added && !caps_added && !stops_before_mask) score += added_at(row, j);
  }
  if (!stops_before_mask && is_hidden(row, first_key + j)) score = hidden_value;
  scores[row * keys + j] = is_nan(score) ? kPlainNan : score;
}

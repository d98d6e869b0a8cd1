#version 430 core
// Mirrors dropped_weights of core/backend/score_steps.h, in place: weight * kept / (1 - P). What is kept is drawn by the
// same numbers as there (DropoutDraw), or given cell by cell.

layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Weights { float weights[]; };            // [rows, keys]
layout(std430, binding = 1) readonly buffer Draws { uvec2 draws[]; };       // [rows], state of the draw: low, high half
layout(std430, binding = 2) readonly buffer Factors { float factors[]; };  // [rows, keys], instead of a draw

uniform uint keys;
uniform uint first_key;    // of the keys here, as the draw counts them
uniform bool has_factors;
uniform uvec2 least;       // of the 53 bits of a draw, what keeps a weight: low, high half
uniform float gain;        // 1 / (1 - P), or 0

uvec2 sum_of(uvec2 a, uvec2 b) {
  uint carry;
  uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

uvec2 product_of(uvec2 a, uvec2 b) {
  uint high, low;
  umulExtended(a.x, b.x, high, low);
  return uvec2(low, high + a.x * b.y + a.y * b.x);
}

uvec2 shifted(uvec2 a, int by) {  // to the right, 0 < by < 32
  return uvec2((a.x >> by) | (a.y << (32 - by)), a.y >> by);
}

uvec2 mixed(uvec2 x) {
  x = sum_of(x, uvec2(0x7f4a7c15u, 0x9e3779b9u));
  x = product_of(x ^ shifted(x, 30), uvec2(0x1ce4e5b9u, 0xbf58476du));
  x = product_of(x ^ shifted(x, 27), uvec2(0x133111ebu, 0x94d049bbu));
  return x ^ shifted(x, 31);
}

void main() {
  uint row = gl_WorkGroupID.y;
  uint j = gl_GlobalInvocationID.x;
  if (j >= keys) return;
  float factor;
  if (has_factors) {
    factor = factors[row * keys + j];
  } else {
    uvec2 draw = shifted(mixed(draws[row] ^ uvec2(first_key + j, 0u)), 11);
    bool kept = draw.y > least.y || (draw.y == least.y && draw.x >= least.x);
    factor = kept ? gain : 0.0;
  }
  weights[row * keys + j] *= factor;
}

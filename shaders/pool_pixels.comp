#version 430 core
// Mirrors pool_pixels of core/backend/pyramid.h: pixels of a canvas, `by` at a time, become those of a picture, which
// heatmap.frag reads. Rows of the picture that the canvas does not reach show the picture below.
#include "numbers.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(std430, binding = 0) readonly buffer Values { float values[]; };    // [canvas_size]
layout(std430, binding = 1) readonly buffer Counts { uint counts[]; };
layout(r32f, binding = 0) uniform writeonly image2D picture_values;
layout(r8ui, binding = 1) uniform writeonly uimage2D picture_hidden;

uniform uvec2 canvas_size;   // columns, rows
uniform uvec2 picture_size;
uniform uint made_rows;      // of the picture, from the canvas
uniform uvec2 by;
uniform bool mean;
uniform sampler2D below_values;
uniform usampler2D below_hidden;

bool is_finite(float v) {
  return (floatBitsToUint(v) & 0x7f800000u) != 0x7f800000u;
}

bool beats(float value, float best) {
  float a = abs(value), b = abs(best);
  return a > b || (a == b && value > best);
}

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= picture_size.x || at.y >= picture_size.y) return;
  ivec2 pixel = ivec2(at);
  if (at.y >= made_rows) {
    imageStore(picture_values, pixel, texelFetch(below_values, pixel, 0));
    imageStore(picture_hidden, pixel, texelFetch(below_hidden, pixel, 0));
    return;
  }
  bool seen = false, nan = false;
  float largest = 0.0;
  double sum = 0.0LF;
  uint count = 0u;
  uvec2 end = min((at + 1u) * by, canvas_size);
  for (uint y = 0u; y < by.y; ++y) {
    for (uint x = 0u; x < by.x; ++x) {
      uint i = at.y * by.y + y, j = at.x * by.x + x;
      if (i >= end.y || j >= end.x) continue;
      float value = values[i * canvas_size.x + j];
      uint cells = counts[i * canvas_size.x + j];
      nan = nan || is_nan(value);
      if (mean && cells > 0u) sum += double(value) * double(cells);
      count += cells;
      bool hidden = cells == 0u && is_finite(value);
      if (hidden || is_nan(value) || (seen && !beats(value, largest))) continue;
      seen = true;
      largest = value;
    }
  }
  float value = nan ? kPlainNan : mean && count > 0u ? float(sum / double(count)) : seen ? largest : 0.0;
  imageStore(picture_values, pixel, vec4(value, 0.0, 0.0, 0.0));
  imageStore(picture_hidden, pixel, uvec4(nan || seen ? 0u : 1u, 0u, 0u, 0u));
}

#version 430 core
// Mirrors DevicePicture::RowExtent of core/backend/device_pyramid.h, one work group a row: the smallest and the largest
// finite, visible pixel; low > high: there is none.
#include "numbers.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 0) writeonly buffer Extents { float extents[]; };  // [rows, 2]
uniform sampler2D values;
uniform usampler2D hidden;
uniform uint columns;

shared float lows[64];
shared float highs[64];

void main() {
  int row = int(gl_WorkGroupID.x);
  uint thread = gl_LocalInvocationIndex;
  float low = kPlusInfinity, high = kMinusInfinity;
  for (uint begin = 0u; begin < columns; begin += 64u) {
    uint j = begin + thread;
    if (j >= columns) continue;
    float v = texelFetch(values, ivec2(int(j), row), 0).r;
    bool finite = (floatBitsToUint(v) & 0x7f800000u) != 0x7f800000u;
    if (!finite || texelFetch(hidden, ivec2(int(j), row), 0).r != 0u) continue;
    low = min(low, v);
    high = max(high, v);
  }
  lows[thread] = low;
  highs[thread] = high;
  wait_for_all();
  for (uint half_count = 32u; half_count > 0u; half_count /= 2u) {
    if (thread < half_count) {
      lows[thread] = min(lows[thread], lows[thread + half_count]);
      highs[thread] = max(highs[thread], highs[thread + half_count]);
    }
    wait_for_all();
  }
  if (thread == 0u) {
    extents[2 * row] = lows[0];
    extents[2 * row + 1] = highs[0];
  }
}

#version 430 core
// Mirrors DevicePicturePlan::Part of core/backend/device_pyramid.h: pixels are copied to their place on a canvas; what
// lies outside is cut off, and a part of one row shows it in all rows that it covers.
layout(local_size_x = 8, local_size_y = 8) in;

layout(std430, binding = 0) readonly buffer PartValues { float part_values[]; };    // [part_size]
layout(std430, binding = 1) readonly buffer PartCounts { uint part_counts[]; };
layout(std430, binding = 2) writeonly buffer Values { float values[]; };            // [canvas_size]
layout(std430, binding = 3) writeonly buffer Counts { uint counts[]; };

uniform uvec2 part_size;    // columns, rows
uniform uvec2 canvas_size;
uniform ivec2 place;        // of the part's first pixel on the canvas: column, row
uniform uint covered_rows;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= part_size.x || at.y >= covered_rows) return;
  ivec2 to = place + ivec2(at);
  if (to.x < 0 || to.y < 0 || to.x >= int(canvas_size.x) || to.y >= int(canvas_size.y)) return;
  uint from = (part_size.y == 1u ? 0u : at.y) * part_size.x + at.x;
  uint target = uint(to.y) * canvas_size.x + uint(to.x);
  values[target] = part_values[from];
  counts[target] = part_counts[from];
}

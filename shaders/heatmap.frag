#version 330 core
// Mirrors draw_heatmap of core/picture/heatmap_spec.h, rule by rule; the rules stand there. gl_FragCoord counts rows from the
// first row of the texture, which is the top one of the picture.
#extension GL_ARB_gpu_shader5 : enable
#ifdef GL_ARB_gpu_shader5
#define EXACT precise  // no fused multiply-add: the same floats as core's
#else
#define EXACT
#endif

uniform sampler2D values;        // [rows, columns]
uniform usampler2D hidden;       // [rows, columns], 1 hidden, 2 marked; read only when has_hidden
uniform sampler2D color_table;   // 256 x 1
uniform bool has_hidden;
uniform vec3 shared_scale;       // ValueScale's low, scale, offset when not per_row
#ifdef SCALE_TABLES  // a program of its own: software drivers would pay for these fetches in every heatmap
uniform bool per_row;
uniform bool is_log;
uniform sampler2D row_scales;    // 1 x rows: low, scale, offset of each row; read only when per_row
uniform sampler2D thresholds;    // 256 x rows (x 1 when not per_row): the smallest value of each entry; when is_log
#endif

uniform ivec2 cells;             // of the matrix: columns, rows
uniform ivec2 first;             // AxisWindow of columns and rows
uniform vec2 offset;
uniform vec2 step_cells;
uniform float cell_side;         // pixels: the smaller of a cell's width and height
uniform vec2 cell_shape;         // width and height of a cell over cell_side
uniform float scale;             // pixel_scale

uniform bool with_hatch;
uniform bool with_marks;
uniform bool with_grid;
uniform int hatch_shift;          // (hatch_x + hatch_y) mod hatch_spacing, not negative
uniform int hatch_spacing;
uniform int line;
uniform vec3 well_color;
uniform vec3 hatch_color;
uniform vec3 grid_color;
uniform vec3 nan_color;

layout(location = 0) out vec4 color;

const int kHidden = 0, kFinite = 1, kPlusInfinity = 2, kMinusInfinity = 3, kNan = 4;

// From the bits: drivers may assume that isnan() is never true.
int kind_of(float v) {
  uint bits = floatBitsToUint(v);
  if ((bits & 0x7f800000u) != 0x7f800000u) return kFinite;
  if ((bits & 0x007fffffu) != 0u) return kNan;
  return (bits & 0x80000000u) == 0u ? kPlusInfinity : kMinusInfinity;
}

float cell_position(int pixel, int axis) {
  EXACT float moved = (float(pixel) + 0.5) * step_cells[axis];
  EXACT float position = offset[axis] + moved;
  return position;
}

int cell_under(int pixel, int axis) { return first[axis] + int(floor(cell_position(pixel, axis))); }

// Cells [x, y) that a pixel shows along one axis, cut to the matrix.
ivec2 cells_of(int pixel, int axis) {
  ivec2 range = ivec2(cell_under(pixel, axis));
  range.y += 1;
  if (step_cells[axis] > 1.0) {
    EXACT float begin_moved = float(pixel) * step_cells[axis];
    EXACT float begin = offset[axis] + begin_moved;
    begin = begin + 1.0 / 64.0;
    EXACT float end_moved = float(pixel + 1) * step_cells[axis];
    EXACT float end = offset[axis] + end_moved;
    end = end - 1.0 / 64.0;
    range.x = first[axis] + int(floor(begin));
    range.y = max(first[axis] + int(ceil(end)), range.x + 1);
  }
  return ivec2(max(range.x, 0), min(range.y, cells[axis]));
}

struct Choice {
  int kind;
  float value;
  int row;
};

// At least one cell. One loop that looks at its end whether to go on: software drivers run every body that they enter.
Choice choose(ivec2 columns, ivec2 rows) {
  Choice best = Choice(kHidden, 0.0, rows.x);
  ivec2 at = ivec2(columns.x, rows.x);
  do {
    float v = texelFetch(values, at, 0).r;
    int kind = kind_of(v);
    bool seen = !has_hidden || texelFetch(hidden, at, 0).r != 1u;
    bool larger = best.kind == kHidden || abs(v) > abs(best.value) || (abs(v) == abs(best.value) && v > best.value);
    if (kind == kNan || (seen && larger)) best = Choice(kind, v, at.y);
    at.x += 1;
    if (at.x >= columns.y) at = ivec2(columns.x, at.y + 1);
  } while (at.y < rows.y && best.kind != kNan);
  return best;
}

int linear_entry(float v, vec3 by) {
  EXACT float above = v - by.x;
  EXACT float scaled = above * by.y;
  EXACT float entry = scaled + by.z;
  return int(clamp(floor(entry), 0.0, 255.0));
}

#ifdef SCALE_TABLES
int entry_of(float v, int row) {
  vec3 by = per_row ? texelFetch(row_scales, ivec2(0, row), 0).rgb : shared_scale;
  if (!is_log) return linear_entry(v, by);
  // log2 is not the same float on every driver: it only guesses, the table of thresholds decides.
  int line_of_table = per_row ? row : 0;
  int guess = v > 0.0 ? int(floor(clamp((log2(v) - by.x) * by.y, 0.0, 255.0) + 0.5)) : 0;
  while (guess < 255 && v >= texelFetch(thresholds, ivec2(guess + 1, line_of_table), 0).r) ++guess;
  while (guess > 0 && v < texelFetch(thresholds, ivec2(guess, line_of_table), 0).r) --guess;
  return guess;
}
#else
int entry_of(float v, int row) { return linear_entry(v, shared_scale); }
#endif

bool on_mark(int kind, vec2 place) {
  float m = cell_side;
  if (kind == kNan) {
    float reach = 0.75 * scale;
    EXACT float falling = abs(place.x - place.y) * m;
    EXACT float sum = place.x + place.y;
    EXACT float rising = abs(sum - 1.0) * m;
    return falling < reach || rising < reach;
  }
  EXACT vec2 from_centre = place - 0.5;
  EXACT vec2 p = from_centre * cell_shape;
  float q = kind == kPlusInfinity ? p.y : -p.y;
  EXACT float below_tip = q + 0.203;
  EXACT float half_width = below_tip * 0.677;
  return abs(q) < 0.203 && abs(p.x) < half_width;
}

// The corner of a marked cell, where the pixel lies on it; else `color`. Cells that have one are larger than a pixel.
vec3 with_corner(vec3 color, ivec2 pixel, vec2 place) {
  EXACT vec2 from_corner = place * (cell_shape * cell_side);
  EXACT float from = from_corner.x + from_corner.y;
  EXACT float inner = 6.3 * scale;
  EXACT float outer = 8.3 * scale;
  if (!(from < outer)) return color;
  if (texelFetch(hidden, ivec2(cell_under(pixel.x, 0), cell_under(pixel.y, 1)), 0).r != 2u) return color;
  return vec3(from < inner ? 1.0 : 0.0);
}

vec3 cell_color(ivec2 pixel, Choice chosen) {
  if (chosen.kind == kHidden) {
    int along = (pixel.x + pixel.y + hatch_shift) % hatch_spacing;
    return with_hatch && along < line ? hatch_color : well_color;
  }
  vec2 place = vec2(fract(cell_position(pixel.x, 0)), fract(cell_position(pixel.y, 1)));
  if (chosen.kind == kFinite) {
    vec3 ground = texelFetch(color_table, ivec2(entry_of(chosen.value, chosen.row), 0), 0).rgb;
    return with_marks && has_hidden && chosen.value != 0.0 ? with_corner(ground, pixel, place) : ground;
  }
  return with_marks && on_mark(chosen.kind, place) ? vec3(1.0) : nan_color;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 columns = cells_of(pixel.x, 0);
  ivec2 rows = cells_of(pixel.y, 1);
  if (columns.x >= columns.y || rows.x >= rows.y) {
    color = vec4(well_color, 1.0);
    return;
  }
  bool at_edge = with_grid && (cell_under(pixel.x + line, 0) != cell_under(pixel.x, 0) ||
                               cell_under(pixel.y + line, 1) != cell_under(pixel.y, 1));
  color = vec4(at_edge ? grid_color : cell_color(pixel, choose(columns, rows)), 1.0);
}

#version 430 core
// Mirrors Backend::weighted_values of core/backend/backend.h: context = sum_j weight * value, in the order of j. Where
// a value is not finite (ANY_VALUE), a hidden cell whose weight is 0 is not read.
#include "numbers.glsl"
#ifdef ANY_VALUE
#include "hidden_cells.glsl"
#endif

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Weights { float weights[]; };     // [matrices, queries, keys]
layout(std430, binding = 1) readonly buffer Values { float values[]; };       // [batch * groups, value_rows, features]
layout(std430, binding = 3) writeonly buffer Context { float context[]; };    // [matrices, queries, features]
layout(std430, binding = 4) writeonly buffer Context4 { vec4 context4[]; };   // the same, when features % 4 == 0

uniform uint queries;
uniform uint features;
uniform uint keys;        // those of `values` from first_value on
uniform uint first_value;
uniform uint value_rows;
uniform uint first_key;   // of the keys here, as the mask counts them
// As in dot_products.comp.
uniform uint heads;
uniform uint first_head;
uniform uint heads_per_group;
uniform uint first_group;
uniform uint groups;

// As in dot_products.comp: 64 x 64 results a work group, 4 x 4 a thread.
const uint kSide = 64u;
const uint kDepth = 16u;
const float kNotRead = uintBitsToFloat(0x80000000u);  // -0: a weight of 0 whose value counts for nothing

shared vec4 weight_strips[2][kDepth][kSide / 4u + 1u];  // four queries each
shared vec4 value_strips[2][kDepth][kSide / 4u + 1u];   // four features each

float weight_at(uint matrix, uint query, uint j) {
  if (query >= queries || j >= keys) return 0.0;
  uint row = matrix * queries + query;
  float weight = weights[row * keys + j];
#ifdef ANY_VALUE
  if (weight == 0.0) return is_hidden(row, first_key + j) ? kNotRead : 0.0;
#endif
  return weight;
}

float value_at(uint group, uint j, uint feature) {
  return feature < features && j < keys ? values[(group * value_rows + first_value + j) * features + feature] : 0.0;
}

vec4 weights_of(uint matrix, uint query, uint j) {
  return vec4(weight_at(matrix, query, j), weight_at(matrix, query + 1u, j), weight_at(matrix, query + 2u, j),
              weight_at(matrix, query + 3u, j));
}

vec4 values_of(uint group, uint j, uint feature) {
  return vec4(value_at(group, j, feature), value_at(group, j, feature + 1u), value_at(group, j, feature + 2u),
              value_at(group, j, feature + 3u));
}

vec4 with_product(vec4 sums, float weight, vec4 value) {
#ifdef ANY_VALUE
  if (floatBitsToUint(weight) == 0x80000000u) return sums;
#endif
  return fma(vec4(weight), value, sums);
}

float plain(float sum) {
  return is_nan(sum) ? kPlainNan : sum;
}

void write_row(uint matrix, uint query, uint feature, vec4 sums) {
  if (query >= queries) return;
  uint at = (matrix * queries + query) * features + feature;
  vec4 written = vec4(plain(sums.x), plain(sums.y), plain(sums.z), plain(sums.w));
  if (features % 4u == 0u) {
    if (feature < features) context4[at / 4u] = written;
    return;
  }
  if (feature < features) context[at] = written.x;
  if (feature + 1u < features) context[at + 1u] = written.y;
  if (feature + 2u < features) context[at + 2u] = written.z;
  if (feature + 3u < features) context[at + 3u] = written.w;
}

void main() {
  uint matrix = gl_WorkGroupID.z;
  uint group = matrix / heads * groups + (first_head + matrix % heads) / heads_per_group - first_group;
  uint first_query = gl_WorkGroupID.y * kSide;
  uint first_feature = gl_WorkGroupID.x * kSide;
  uint thread = gl_LocalInvocationIndex;
  uint line = thread / 16u;   // the four queries that this thread computes, and whose weights it loads for key `place`
  uint place = thread % 16u;  // the four features that it computes, and that it loads of key `line`
  uint query = first_query + line * 4u;
  uint feature = first_feature + place * 4u;

  vec4 sums0 = vec4(0.0), sums1 = vec4(0.0), sums2 = vec4(0.0), sums3 = vec4(0.0);
  vec4 next_weights = weights_of(matrix, query, place);
  vec4 next_values = values_of(group, line, feature);
  uint strip = 0u;
  for (uint begin = 0u; begin < keys; begin += kDepth) {
    weight_strips[strip][place][line] = next_weights;
    value_strips[strip][line][place] = next_values;
    wait_for_all();
    if (begin + kDepth < keys) {
      next_weights = weights_of(matrix, query, begin + kDepth + place);
      next_values = values_of(group, begin + kDepth + line, feature);
    }
    for (uint k = 0u; k < kDepth; ++k) {
      vec4 weight = weight_strips[strip][k][line];
      vec4 value = value_strips[strip][k][place];
      sums0 = with_product(sums0, weight.x, value);
      sums1 = with_product(sums1, weight.y, value);
      sums2 = with_product(sums2, weight.z, value);
      sums3 = with_product(sums3, weight.w, value);
    }
    strip = 1u - strip;
  }
  write_row(matrix, query, feature, sums0);
  write_row(matrix, query + 1u, feature, sums1);
  write_row(matrix, query + 2u, feature, sums2);
  write_row(matrix, query + 3u, feature, sums3);
}

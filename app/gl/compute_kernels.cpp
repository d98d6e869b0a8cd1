#include "app/gl/compute_kernels.h"

#include <epoxy/gl.h>

#include <vector>

namespace headscope {
namespace {

constexpr std::int64_t kTileSide = 64;      // of dot_products.comp and weighted_values.comp
constexpr std::int64_t kKeysPerGroup = 64;  // of the shaders that go cell by cell

unsigned narrow(std::int64_t value) {
  return static_cast<unsigned>(value);
}

unsigned groups_of(std::int64_t size, std::int64_t per_group) {
  return narrow((size + per_group - 1) / per_group);
}

void set_size(const GlProgram& program, const char* name, std::int64_t value) {
  glUniform1ui(program.uniform(name), narrow(value));
}

void set_heads(const GlProgram& program, const HeadGroups& heads) {
  set_size(program, "heads", heads.heads);
  set_size(program, "first_head", heads.first_head);
  set_size(program, "heads_per_group", heads.heads_per_group);
  set_size(program, "first_group", heads.first_group());
  set_size(program, "groups", heads.groups());
}

void dispatch(unsigned x, unsigned y, unsigned z, const char* doing) {
  glDispatchCompute(x, y, z);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  check_gl(doing);
}

}  // namespace

void ComputeMask::hide_nothing() {
  row_words_ = 0;
  words_.reserve(1);
}

void ComputeMask::upload(const HiddenCells& hidden, const Range& batch, const Range& heads, const Range& queries) {
  heads_ = heads.size();
  queries_ = queries.size();
  if (!hidden.any()) return hide_nothing();
  const Range batches = hidden.batch() == 1 ? Range{0, 1} : batch;
  const Range mask_heads = hidden.heads() == 1 ? Range{0, 1} : heads;
  batches_ = batches.size();
  mask_heads_ = mask_heads.size();
  has_runs_ = false;
  row_words_ = (hidden.key_len() + 31) / 32;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(batches_ * mask_heads_ * queries_ * row_words_));
  std::uint32_t* row = words.data();
  for (std::int64_t b = batches.begin; b < batches.end; ++b) {
    for (std::int64_t h = mask_heads.begin; h < mask_heads.end; ++h) {
      for (std::int64_t i = queries.begin; i < queries.end; ++i, row += row_words_) {
        for (std::int64_t j = 0; j < hidden.key_len(); ++j) {
          if (hidden.hidden(b, h, i, j)) row[j / 32] |= std::uint32_t{1} << (j % 32);
        }
      }
    }
  }
  words_.upload(words);
}

void ComputeMask::set(const GlProgram& program) const {
  words_.bind(7);
  set_size(program, "mask_row_words", row_words_);
  glUniform1i(program.uniform("mask_has_runs"), has_runs_ ? 1 : 0);
  glUniform2ui(program.uniform("mask_sizes"), narrow(batches_), narrow(mask_heads_));
  set_size(program, "mask_heads", heads_);
  set_size(program, "mask_queries", queries_);
}

ComputeKernels::ComputeKernels()
    : dot_products_(ComputeShader{"dot_products.comp", ""}),
      row_statistics_(ComputeShader{"row_statistics.comp", ""}),
      softmax_weights_(ComputeShader{"softmax_weights.comp", ""}),
      weighted_finite_values_(ComputeShader{"weighted_values.comp", ""}),
      weighted_any_values_(ComputeShader{"weighted_values.comp", "ANY_VALUE"}) {}

void ComputeKernels::dot_products(const ProductSizes& size, const ComputeBuffer& left, const ComputeBuffer& right,
                                  const ComputeBuffer* bias, const ComputeBuffer& result) const {
  glUseProgram(dot_products_.name());
  left.bind(0);
  right.bind(1);
  (bias != nullptr ? *bias : right).bind(2);
  result.bind(3);
  glUniform1i(dot_products_.uniform("has_bias"), bias != nullptr ? 1 : 0);
  set_size(dot_products_, "rows", size.rows);
  set_size(dot_products_, "columns", size.columns);
  set_size(dot_products_, "depth", size.depth);
  set_heads(dot_products_, size.heads);
  dispatch(groups_of(size.columns, kTileSide), groups_of(size.rows, kTileSide), narrow(size.batch * size.heads.heads),
           "multiplying");
}

void ComputeKernels::row_statistics(std::int64_t rows, std::int64_t keys, const ComputeBuffer& scores,
                                    const ComputeMask& mask, const ComputeBuffer& maxima, const ComputeBuffer& sums,
                                    const ComputeBuffer& all_hidden) const {
  glUseProgram(row_statistics_.name());
  scores.bind(0);
  maxima.bind(1);
  sums.bind(2);
  all_hidden.bind(3);
  mask.set(row_statistics_);
  set_size(row_statistics_, "keys", keys);
  dispatch(narrow(rows), 1, 1, "adding up rows");
}

void ComputeKernels::softmax_weights(std::int64_t rows, std::int64_t keys, const ComputeBuffer& scores,
                                     const ComputeBuffer& maxima, const ComputeBuffer& sums) const {
  glUseProgram(softmax_weights_.name());
  scores.bind(0);
  maxima.bind(1);
  sums.bind(2);
  set_size(softmax_weights_, "keys", keys);
  dispatch(groups_of(keys, kKeysPerGroup), narrow(rows), 1, "computing weights");
}

void ComputeKernels::weighted_values(const ProductSizes& size, const ComputeBuffer& weights, const ComputeBuffer& value,
                                     const ComputeMask* mask, const ComputeBuffer& context) const {
  const GlProgram& program = mask != nullptr ? weighted_any_values_ : weighted_finite_values_;
  glUseProgram(program.name());
  weights.bind(0);
  value.bind(1);
  context.bind(3);
  if (mask != nullptr) mask->set(program);
  set_size(program, "queries", size.rows);
  set_size(program, "features", size.columns);
  set_size(program, "keys", size.depth);
  set_heads(program, size.heads);
  dispatch(groups_of(size.columns, kTileSide), groups_of(size.rows, kTileSide), narrow(size.batch * size.heads.heads),
           "weighting values");
}

}  // namespace headscope

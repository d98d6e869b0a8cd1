#include "app/gl/compute_kernels.h"

#include <epoxy/gl.h>

#include <vector>

#include "app/gl/driver_call.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kTileSide = 64;      // of dot_products.comp and weighted_values.comp
constexpr std::int64_t kKeysPerGroup = 64;  // of the shaders that go cell by cell

unsigned narrow(std::int64_t value) {
  return static_cast<unsigned>(value);
}

unsigned groups_of(std::int64_t size, std::int64_t per_group) {
  return narrow(parts_over(size, per_group));
}

void set_size(const GlProgram& program, const char* name, std::int64_t value) {
  glUniform1ui(program.uniform(name), narrow(value));
}

void set_flag(const GlProgram& program, const char* name, bool value) {
  glUniform1i(program.uniform(name), value ? 1 : 0);
}

void set_heads(const GlProgram& program, const HeadGroups& heads) {
  set_size(program, "heads", heads.heads);
  set_size(program, "first_head", heads.first_head);
  set_size(program, "heads_per_group", heads.heads_per_group);
  set_size(program, "first_group", heads.first_group());
  set_size(program, "groups", heads.groups());
}

void dispatch(unsigned x, unsigned y, unsigned z, const char* doing) {
  in_driver([&] { glDispatchCompute(x, y, z); });
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);

  check_gl(doing);
}

}  // namespace

void ComputeMask::upload(const HiddenCells& hidden, const Range& batch, const Range& heads, const Range& queries) {
  heads_ = heads.size();
  queries_ = queries.size();
  const Range batches = hidden.batch() == 1 ? Range{0, 1} : batch;
  const Range mask_heads = hidden.heads() == 1 ? Range{0, 1} : heads;
  batches_ = batches.size();
  mask_heads_ = mask_heads.size();
  has_runs_ = hidden.key_len() > 0 && hidden.query_len() > 0 && hidden.visible_keys(0, 0, 0).has_value();
  row_words_ = !hidden.any() ? 0 : has_runs_ ? 4 : (hidden.key_len() + 31) / 32;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(batches_ * mask_heads_ * queries_ * row_words_));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(has_runs_ ? 0 : hidden.key_len()));
  std::uint32_t* row = words.data();
  for (std::int64_t b = batches.begin; b < batches.end && row_words_ > 0; ++b) {
    for (std::int64_t h = mask_heads.begin; h < mask_heads.end; ++h) {
      for (std::int64_t i = queries.begin; i < queries.end; ++i, row += row_words_) {
        if (has_runs_) {
          const VisibleKeys keys = *hidden.visible_keys(b, h, i);
          row[0] = narrow(keys.first.begin);
          row[1] = narrow(keys.first.end);
          row[2] = narrow(keys.second.begin);
          row[3] = narrow(keys.second.end);
        } else {
          hidden.read_row(b, h, i, bytes);
          for (std::size_t j = 0; j < bytes.size(); ++j) row[j / 32] |= std::uint32_t{bytes[j]} << (j % 32);
        }
      }
    }
  }
  words_.upload(words);
}

void ComputeMask::set(const GlProgram& program, bool hides) const {
  words_.bind(7);
  set_size(program, "mask_row_words", hides ? row_words_ : 0);
  set_flag(program, "mask_has_runs", has_runs_);
  glUniform2ui(program.uniform("mask_sizes"), narrow(batches_), narrow(mask_heads_));
  set_size(program, "mask_heads", heads_);
  set_size(program, "mask_queries", queries_);
}

ComputeKernels::ComputeKernels()
    : dot_products_(ComputeShader{"dot_products.comp", ""}),
      masked_scores_(ComputeShader{"masked_scores.comp", ""}),
      row_statistics_(ComputeShader{"row_statistics.comp", ""}),
      softmax_weights_(ComputeShader{"softmax_weights.comp", ""}),
      dropped_weights_(ComputeShader{"dropped_weights.comp", ""}),
      weighted_finite_values_(ComputeShader{"weighted_values.comp", ""}),
      weighted_any_values_(ComputeShader{"weighted_values.comp", "ANY_VALUE"}) {}

void ComputeKernels::dot_products(const ProductSizes& size, const ComputeBuffer& left, const ComputeBuffer& right,
                                  const ComputeBuffer* bias, const ComputeBuffer& result) const {
  glUseProgram(dot_products_.name());
  left.bind(0);
  right.bind(1);
  (bias != nullptr ? *bias : right).bind(2);
  result.bind(3);
  set_flag(dot_products_, "has_bias", bias != nullptr);
  result.bind(4);
  set_size(dot_products_, "rows", size.rows);
  set_size(dot_products_, "first_left", size.left.first);
  set_size(dot_products_, "left_rows", size.left.rows > 0 ? size.left.rows : size.rows);
  set_size(dot_products_, "columns", size.columns);
  set_size(dot_products_, "first_right", size.right.first);
  set_size(dot_products_, "right_rows", size.right.rows > 0 ? size.right.rows : size.columns);
  set_size(dot_products_, "depth", size.depth);
  set_heads(dot_products_, size.heads);
  dispatch(groups_of(size.columns, kTileSide), groups_of(size.rows, kTileSide), narrow(size.batch * size.heads.heads),
           "multiplying");
}

void ComputeKernels::masked_scores(const ScoreSteps& steps, std::int64_t rows, const ComputeBuffer& scores,
                                   const ComputeMask& mask, const ComputeBuffer& added) const {
  const GlProgram& program = masked_scores_;
  glUseProgram(program.name());
  scores.bind(0);
  added.bind(1);
  mask.set(program, steps.hides);
  set_size(program, "keys", steps.keys);
  set_size(program, "first_key", steps.first_key);
  glUniform1f(program.uniform("scale"), steps.scale);
  glUniform1f(program.uniform("softcap"), steps.softcap);
  glUniform1f(program.uniform("hidden_value"), steps.hidden_value);
  set_flag(program, "mask_first", steps.mask_first);
  set_flag(program, "caps_added", steps.caps_added);
  set_flag(program, "stops_before_softcap", steps.stops_before_softcap);
  set_flag(program, "stops_before_mask", steps.stops_before_mask);
  set_flag(program, "has_added", steps.adds);
  glUniform2ui(program.uniform("added_sizes"), narrow(steps.added_batches), narrow(steps.added_heads));
  set_size(program, "heads", steps.heads);
  set_size(program, "queries", steps.queries);
  dispatch(groups_of(steps.keys, kKeysPerGroup), narrow(rows), 1, "masking scores");
}

void ComputeKernels::row_statistics(std::int64_t rows, std::int64_t keys, const ComputeBuffer& scores,
                                    const ComputeBuffer& maxima, const ComputeBuffer& sums) const {
  glUseProgram(row_statistics_.name());
  scores.bind(0);
  maxima.bind(1);
  sums.bind(2);
  set_size(row_statistics_, "keys", keys);
  dispatch(narrow(rows), 1, 1, "adding up rows");
}

void ComputeKernels::softmax_weights(const WeightSteps& steps, const ComputeBuffer& scores, const ComputeBuffer& maxima,
                                     const ComputeBuffer& sums, const ComputeMask& mask,
                                     const ComputeBuffer& all_hidden) const {
  const GlProgram& program = softmax_weights_;
  glUseProgram(program.name());
  scores.bind(0);
  maxima.bind(1);
  sums.bind(2);
  all_hidden.bind(3);
  mask.set(program, steps.clears_hidden);
  set_size(program, "keys", steps.keys);
  set_size(program, "first_key", steps.first_key);
  set_flag(program, "clears_hidden", steps.clears_hidden);
  set_flag(program, "rewrites_hidden_rows", steps.rewrites_hidden_rows);
  glUniform1f(program.uniform("hidden_row_value"), steps.hidden_row_value);
  dispatch(groups_of(steps.keys, kKeysPerGroup), narrow(steps.rows), 1, "computing weights");
}

void ComputeKernels::dropped_weights(const DropSteps& steps, std::int64_t rows, std::int64_t keys,
                                     const ComputeBuffer& weights, const ComputeBuffer& draws,
                                     const ComputeBuffer* factors) const {
  const GlProgram& program = dropped_weights_;
  glUseProgram(program.name());
  weights.bind(0);
  draws.bind(1);
  (factors != nullptr ? *factors : draws).bind(2);
  set_size(program, "keys", keys);
  set_size(program, "first_key", steps.first_key);
  set_flag(program, "has_factors", factors != nullptr);
  glUniform2ui(program.uniform("least"), static_cast<unsigned>(steps.least), static_cast<unsigned>(steps.least >> 32));
  glUniform1f(program.uniform("gain"), steps.gain);
  dispatch(groups_of(keys, kKeysPerGroup), narrow(rows), 1, "dropping weights");
}

void ComputeKernels::weighted_values(const ProductSizes& size, const ComputeBuffer& weights, const ComputeBuffer& value,
                                     const ComputeMask* mask, std::int64_t first_key,
                                     const ComputeBuffer& context) const {
  const GlProgram& program = mask != nullptr ? weighted_any_values_ : weighted_finite_values_;
  glUseProgram(program.name());
  weights.bind(0);
  value.bind(1);
  context.bind(3);
  context.bind(4);
  if (mask != nullptr) mask->set(program);
  set_size(program, "queries", size.rows);
  set_size(program, "features", size.columns);
  set_size(program, "keys", size.depth);
  set_size(program, "first_value", size.right.first);
  set_size(program, "value_rows", size.right.rows > 0 ? size.right.rows : size.depth);
  set_size(program, "first_key", first_key);
  set_heads(program, size.heads);
  dispatch(groups_of(size.columns, kTileSide), groups_of(size.rows, kTileSide), narrow(size.batch * size.heads.heads),
           "weighting values");
}

}  // namespace headscope

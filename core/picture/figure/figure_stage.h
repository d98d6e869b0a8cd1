// The data of a stage that a figure needs: its matrices, names, colours, range. Internal to core/picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/picture/figure/figure_plan.h"
#include "core/picture/view_spec.h"

namespace headscope {

// The names along the sides of a map.
struct AxisNames {
  std::vector<std::string> rows = {};
  std::vector<std::string> columns = {};  // empty: features, by index
  bool score_like = true;                 // queries by keys; else tokens by features, unless words say what they are
  std::string row_word = {}, column_word = {};  // "layer", "head"
};

// The matrices of one stage and batch item: one for each head, or a single one for [batch, position, feature].
class StagePicture {
 public:
  // Throws UsageError when the trace has no such stage or batch. Where cells are computed when read, every read of them
  // throws Cancelled once `cancel` is set.
  StagePicture(const Trace& trace, StageId stage, const ViewSpec& view, const CancelToken& cancel = {});

  StageId stage() const { return stage_; }
  const Shape& shape() const { return tensor_.shape(); }
  std::int64_t heads() const { return heads_; }  // 0 for [batch, position, feature]
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  bool score_like() const { return is_score_like(stage_); }
  const AxisNames& names() const { return names_; }
  const std::vector<std::string>& row_names() const { return names_.rows; }
  const std::vector<std::string>& column_names() const { return names_.columns; }
  ColorMap map() const { return map_; }
  CellText cell_text() const { return is_weight_like(stage_) ? CellText::weights : CellText::values; }
  std::int64_t hidden_cells(std::int64_t head) const;
  // Whether its numbers are known to lie there, which is its range then.
  bool zero_to_one() const;

  // [rows, columns] of a head (0 when there are no heads).
  Tensor matrix(std::int64_t head) const;
  // The colour range as the view sets it; automatic: of heads [begin, end) together.
  ValueRange range(std::int64_t begin, std::int64_t end) const;
  // The heatmap of a head; the caller sets range and size.
  HeatmapSpec spec(std::int64_t head) const;

 private:
  const Trace& trace_;
  StageId stage_;
  const ViewSpec& view_;
  Tensor tensor_;
  std::shared_ptr<const Mask> mask_;
  std::int64_t heads_ = 0, rows_ = 0, columns_ = 0;
  AxisNames names_;
  ColorMap map_;
};

// "seeded 0 · d_model 512 · 8 heads · causal · 5 tokens ..." in one line.
std::string request_facts(const Trace& trace);

// The facts of two results: one line with those that both share, then one line for each result with its own; phrases
// begin where the two differ.
std::vector<std::string> facts_of_two(const Trace& a, const Trace& b);

// What a picture of weights says of its mask, or "": of rows whose every key is hidden, and of hidden cells that hold
// weight all the same.
std::string mask_sentences(const Trace& trace);

// "weight", "score", "value" ...: what one cell of the stage holds.
std::string cell_noun(StageId stage);

}  // namespace headscope

// Compares two results A and B: which options differ, which tokens changed, and where the numbers start to differ.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/mask.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"
#include "core/text/token_alignment.h"

namespace headscope {

struct OptionDifference {
  std::string option;  // "mask"
  std::string a, b;    // as on the command line; "" where the option is not given
};

// Compares a stage of both results, over the cells that have a partner.
struct ComparedStage {
  StageId stage{};
  // Why the stage cannot be compared, as the end of a sentence; "" when it can. "only A has it", "[1, 8, 5, 64] beside
  // [1, 4, 5, 128]".
  std::string incomparable;
  bool too_large = false;   // that is why: it is computed when it is read
  std::int64_t cells = 0;   // compared
  std::int64_t alone = 0;   // cells of A and B without a partner, because tokens were added or removed
  double norm = 0;          // ||A - B||, over the finite pairs
  double norm_a = 0;        // ||A|| over the same cells
  double largest = 0;       // |a - b|
  Index at;                 // place of `largest`, in A
  std::int64_t unlike = 0;  // pairs with a number that is not finite, whose two numbers are not the same
  bool differs() const { return norm > 0 || unlike > 0; }
  // ||A - B|| / ||A||; infinite when A is 0 and B is not.
  double relative() const;
};

struct HeadDifference {
  std::int64_t head = 0;
  double weights = 0, context = 0;  // ||A - B|| of this head
};

struct Comparison {
  std::vector<OptionDifference> options;
  TokenAlignment queries, keys;
  std::vector<ComparedStage> stages;  // of the shown layers, in order
  std::vector<HeadDifference> heads;  // those that differ, by falling `weights`, then falling `context`
  // Why heads could not be compared by their weights, by their context or by either, a sentence; "" where they were.
  std::string no_heads;
  bool any_heads = true;  // false: by neither
  // Where the difference starts: the first stage that differs, or of which one has another size or none; where none
  // does, the first that is too large to be compared; nullopt when there is none.
  // `layer`: when both are models with several layers, the first computed layer that differs; else nullopt.
  std::optional<StageId> first;
  bool unread = false;  // nothing that was compared differs, and `first` is too large
  std::optional<std::int64_t> layer;
  std::string rows;    // row_order_sentence(): why it starts there; "" where the order of rows does not explain it
  std::string layers;  // layer_order_sentence(): layers that are missing or stand in another order; "" where none do
  // other_difference_sentence() (behind_attention.h): where attention is equal in every layer, or differs in nothing
  // but an order, what differs besides: behind it, or in the weights and settings of two models; "" where nothing does.
  std::string besides;
  std::string compared;  // compared_words(): of equal results, all that was compared, every number to the last bit
  // Whether nothing differs: no stage of any layer, no layer is missing in one of the models, nothing besides.
  bool equal() const { return !first && layers.empty() && besides.empty(); }
};

// Reads every stage that both have; a stage of more than 2^24 numbers that is computed when read is reported as
// incomparable. All batch items are compared. Of two models whose results are equal all weights are read. Throws
// Cancelled.
Comparison compare_traces(const Trace& a, const Trace& b, const CancelToken& cancel);

// A - B of one matrix of a stage, [pairs of rows, pairs of columns], and the labels of both. Two equal infinities give
// 0, NaN and NaN give 0, NaN and a number give NaN. nullopt when the stage cannot be compared, and for qkv_split:
// qkv_heads holds the same numbers head by head.
struct MatrixDifference {
  Tensor matrix;
  std::vector<std::string> row_labels, column_labels;  // "wide", "tired → wide"; features: their numbers
  double largest = 0;                                  // largest |a - b| over finite pairs
  std::shared_ptr<const Mask> hidden;                  // cells that both hide, [1, 1, rows, columns]; null: none
  bool same_places = true;                             // its rows and columns have the same indices in A and B
};
std::optional<MatrixDifference> difference_matrix(const Trace& a, const Trace& b, StageId stage, std::int64_t batch,
                                                  std::int64_t head);

}  // namespace headscope

// Two results beside each other: what was asked for differently, which tokens changed, and where the numbers start to
// differ.
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

namespace headscope {

// Which positions of two token lists belong together. Of equal lengths: position by position. Else the longest common
// beginning, and of what is left the longest common end; positions between have no partner.
struct TokenAlignment {
  std::int64_t a_len = 0, b_len = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // (position in A, in B), increasing
  std::vector<std::pair<std::string, std::string>> changed;  // what stands at a place with other tokens; "" nothing
  bool same_lengths() const { return a_len == b_len; }
};
TokenAlignment align_tokens(const std::vector<std::string>& a, const std::vector<std::string>& b);

struct OptionDifference {
  std::string option;  // "mask"
  std::string a, b;    // as the command line says it; "" where it is not given
};

// A stage of both results, over the cells that have a partner.
struct ComparedStage {
  StageId stage{};
  // Why there is nothing to compare: a sentence's rest ("only A has it", "[1, 8, 5, 64] beside [1, 4, 5, 128]"); else
  // empty.
  std::string incomparable;
  std::int64_t cells = 0;   // compared
  std::int64_t alone = 0;   // cells of A and B without a partner, because tokens came or went
  double norm = 0;          // ||A - B||, over the finite pairs
  double norm_a = 0;        // ||A|| over the same
  double largest = 0;       // |a - b|
  Index at;                 // of the largest, in A
  std::int64_t unlike = 0;  // pairs of which one is not finite, and that are not the same
  bool differs() const { return norm > 0 || unlike > 0; }
  // ||A - B|| / ||A||; infinite where A is 0 and B is not.
  double relative() const;
};

struct HeadDifference {
  std::int64_t head = 0;
  double weights = 0, context = 0;  // ||A - B|| of the head's
};

struct Comparison {
  std::vector<OptionDifference> options;
  TokenAlignment queries, keys;
  std::vector<ComparedStage> stages;  // of the layers that are shown, in order
  std::vector<HeadDifference> heads;  // those that differ, the largest of weights first; by context where equal
  // Where it starts: the first stage with a difference, or that cannot be compared. `layer` only of a model with
  // several layers in both: then the first one where something differs, of all that were computed.
  std::optional<StageId> first;
  std::optional<std::int64_t> layer;
};

// Reads every stage that both have; a large one (above 2^24 numbers) that is computed when it is read is said to be
// incomparable.
// The batch is compared whole. Throws Cancelled.
Comparison compare_traces(const Trace& a, const Trace& b, const CancelToken& cancel);

// A - B of one matrix of a stage, [pairs of rows, pairs of columns], and the labels of both. Infinities that are equal
// give 0; NaN beside NaN gives 0, beside a number NaN. Nothing where the stage cannot be compared, nor of qkv_split:
// qkv_heads holds the same numbers head by head.
struct MatrixDifference {
  Tensor matrix;
  std::vector<std::string> row_labels, column_labels;  // "wide", "tired → wide"; features: their numbers
  double largest = 0;                                  // |a - b| of the finite ones
  std::shared_ptr<const Mask> hidden;                  // cells that both hide, [1, 1, rows, columns]; null: none
  bool same_places = true;                             // its rows and columns are those of B
};
std::optional<MatrixDifference> difference_matrix(const Trace& a, const Trace& b, StageId stage, std::int64_t batch,
                                                  std::int64_t head);

}  // namespace headscope

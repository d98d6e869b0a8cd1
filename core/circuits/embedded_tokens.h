// Tokens of the vocabulary as a head reads them, and how what it writes becomes their logits. Internal to
// core/circuits.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/circuits/token_score.h"
#include "core/model/checkpoint.h"

namespace headscope {

double dot_product(std::span<const double> a, std::span<const double> b);

// Matrix m of a stack [matrices, rows, columns] times x [columns], or its transpose times x [rows].
std::vector<double> matrix_times(const Tensor& stack, std::int64_t m, std::span<const double> x, bool transposed);

// The scale of a layer's scores.
double score_scale_in(const Architecture& architecture, std::int64_t layer);

// visit(begin, end) for blocks of [0, count): as many tokens as are in memory at once. Throws Cancelled.
void visit_blocks(std::int64_t count, const CancelToken& cancel,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& visit);

// visit(id, row) for the rows of a block that begins with row `first`.
void visit_rows(std::span<const double> block, std::int64_t width, std::int64_t first,
                const std::function<void(std::int64_t id, std::span<const double> row)>& visit);

// What enters the stream, alone, as a head of a layer reads it: each row times the scale of the norm before attention
// at that row.
class EmbeddedTokens {
 public:
  EmbeddedTokens(const Checkpoint& checkpoint, std::int64_t layer, NormFolding folding);
  std::int64_t count() const { return weights_.word.dim(0); }
  std::int64_t width() const { return architecture_.d_model; }
  bool normed() const { return normed_; }  // by the norm before attention
  // y_t of token_circuits.h for the tokens [begin, end): [end - begin, d_model].
  std::vector<double> rows(std::int64_t begin, std::int64_t end) const;
  std::vector<double> of(std::int64_t id) const;
  // The same of learned positions: none where the model has no table of them.
  std::int64_t positions() const;
  std::vector<double> position_rows() const;  // [positions, d_model]

 private:
  std::vector<double> entered(Tensor rows) const;

  const Architecture& architecture_;
  EmbeddingWeights weights_;
  bool normed_ = false;
};

// What becomes of a vector that a head adds to the stream: logits, without the scale of the final norm.
class TokenDecoder {
 public:
  TokenDecoder(const Checkpoint& checkpoint, NormFolding folding);
  // No next-token head, or one with a transform in it: there are no logits.
  bool empty() const { return empty_; }
  std::int64_t count() const { return output_.decoder.weight.dim(0); }
  // diag(gain) P written, with NormFolding::ignore `written` itself: [d_model].
  std::vector<double> direction(std::vector<double> written) const;
  // The decoder's rows [begin, end): a token's logit is its row times the direction. [end - begin, d_model].
  std::vector<double> rows(std::int64_t begin, std::int64_t end) const;

 private:
  const Architecture& architecture_;
  OutputHead output_;
  bool empty_ = true, folded_ = false;
};

// The `top` largest of the scores that are added.
class LargestScores {
 public:
  explicit LargestScores(std::int64_t top) : top_(static_cast<std::size_t>(top)) {}
  void add(std::int64_t id, double value);
  // The largest first, of equal ones the smaller id; NaN goes last.
  std::vector<TokenScore> take();

 private:
  void cut();

  std::size_t top_;
  std::vector<TokenScore> kept_;
};

}  // namespace headscope

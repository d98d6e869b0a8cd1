#include "core/circuits/embedded_tokens.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

constexpr std::int64_t kTokensAtOnce = 256;
const Axes kTokenRowAxes{Axis::batch, Axis::position, Axis::feature};

// 1 / sqrt(mean of squares + eps) of a row, of a LayerNorm less its mean.
double scale_of_norm(const Architecture& architecture, std::span<const double> row) {
  const auto count = static_cast<double>(row.size());
  double mean = 0, squares = 0;
  if (architecture.norm == Architecture::Norm::layer) {
    for (const double value : row) mean += value / count;
  }
  for (const double value : row) squares += (value - mean) * (value - mean) / count;
  return 1 / std::sqrt(squares + architecture.norm_eps);
}

// Rows [begin, end) of a matrix, as [1, rows, width].
Tensor scaled_rows(const Tensor& matrix, std::int64_t begin, std::int64_t end, double scale) {
  const std::int64_t width = matrix.dim(1);
  std::vector<float> values(static_cast<std::size_t>((end - begin) * width));
  matrix.read({{begin, end}, {0, width}}, values);
  for (float& value : values) value *= static_cast<float>(scale);
  return Tensor::of({1, end - begin, width}, kTokenRowAxes, std::move(values));
}

bool goes_before(const TokenScore& a, const TokenScore& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) {
    return std::isnan(a.value) == std::isnan(b.value) ? a.id < b.id : !std::isnan(a.value);
  }
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

}  // namespace

double dot_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

std::vector<double> matrix_times(const Tensor& stack, std::int64_t m, std::span<const double> x, bool transposed) {
  const std::int64_t rows = stack.dim(1), columns = stack.dim(2);
  HEADSCOPE_ASSERT(std::ssize(x) == (transposed ? rows : columns), to_string(stack.shape()));
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  stack.read({{m, m + 1}, {0, rows}, {0, columns}}, values);
  std::vector<double> y(static_cast<std::size_t>(transposed ? columns : rows));
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
      const double factor = static_cast<double>(values[r * static_cast<std::size_t>(columns) + c]);
      if (transposed) {
        y[c] += factor * x[r];
      } else {
        y[r] += factor * x[c];
      }
    }
  }
  return y;
}

double score_scale_in(const Architecture& architecture, std::int64_t layer) {
  return architecture.score_scale_of(layer).value_or(1 / std::sqrt(static_cast<double>(architecture.head_dim)));
}

void visit_blocks(std::int64_t count, const CancelToken& cancel,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& visit) {
  for (std::int64_t first = 0; first < count; first += kTokensAtOnce) {
    cancel.check();
    visit(first, std::min(first + kTokensAtOnce, count));
  }
}

void visit_rows(std::span<const double> block, std::int64_t width, std::int64_t first,
                const std::function<void(std::int64_t id, std::span<const double> row)>& visit) {
  const auto features = static_cast<std::size_t>(width);
  for (std::size_t at = 0; at < block.size(); at += features) visit(first++, block.subspan(at, features));
}

EmbeddedTokens::EmbeddedTokens(const Checkpoint& checkpoint, std::int64_t layer, NormFolding folding)
    : architecture_(checkpoint.architecture()),
      weights_(checkpoint.embedding()),
      normed_(folding == NormFolding::fold && architecture_.norms_input() &&
              !checkpoint.block(layer).attention_norm.empty()) {}

std::vector<double> EmbeddedTokens::entered(Tensor rows) const {
  rows = normed_embedding(architecture_, weights_, rows);
  const std::vector<float> all = rows.values();
  std::vector<double> entered(all.begin(), all.end());
  if (!normed_) return entered;
  const auto features = static_cast<std::size_t>(rows.dim(2));
  for (std::size_t at = 0; at < entered.size(); at += features) {
    const std::span<double> row = std::span(entered).subspan(at, features);
    const double factor = scale_of_norm(architecture_, row);
    for (double& value : row) value *= factor;
  }
  return entered;
}

std::vector<double> EmbeddedTokens::rows(std::int64_t begin, std::int64_t end) const {
  return entered(scaled_rows(weights_.word, begin, end, architecture_.embedding_scale));
}

std::vector<double> EmbeddedTokens::of(std::int64_t id) const {
  HEADSCOPE_ASSERT(0 <= id && id < count(), std::to_string(id));
  return rows(id, id + 1);
}

std::int64_t EmbeddedTokens::positions() const {
  if (architecture_.position != Architecture::Position::learned || weights_.position.empty()) return 0;
  return weights_.position.dim(0) - architecture_.position_offset;
}

std::vector<double> EmbeddedTokens::position_rows() const {
  if (positions() == 0) return {};
  const std::int64_t first = architecture_.position_offset;
  return entered(scaled_rows(weights_.position, first, first + positions(), 1));
}

TokenDecoder::TokenDecoder(const Checkpoint& checkpoint, NormFolding folding)
    : architecture_(checkpoint.architecture()),
      output_(checkpoint.output_head()),
      empty_(output_.kind != OutputHead::Kind::next_token || !output_.transform.empty()),
      folded_(folding == NormFolding::fold && !output_.final_norm.empty()) {
  HEADSCOPE_ASSERT(empty_ || output_.decoder.weight.dim(1) == architecture_.d_model,
                   to_string(output_.decoder.weight.shape()));
}

std::vector<double> TokenDecoder::direction(std::vector<double> written) const {
  if (!folded_) return written;
  double mean = 0;
  if (architecture_.norm == Architecture::Norm::layer) {
    for (const double value : written) mean += value / static_cast<double>(written.size());
  }
  const std::vector<float> gain = output_.final_norm.weight.values();
  for (std::size_t d = 0; d < written.size(); ++d) {
    written[d] = (written[d] - mean) * ((architecture_.norm_plus_one ? 1.0 : 0.0) + static_cast<double>(gain[d]));
  }
  return written;
}

std::vector<double> TokenDecoder::rows(std::int64_t begin, std::int64_t end) const {
  const std::vector<float> values = scaled_rows(output_.decoder.weight, begin, end, 1).values();
  return {values.begin(), values.end()};
}

void LargestScores::add(std::int64_t id, double value) {
  constexpr std::size_t kSpare = 4096;
  kept_.push_back({id, value});
  if (kept_.size() > 2 * top_ + kSpare) cut();
}

void LargestScores::cut() {
  const std::size_t end = std::min(top_, kept_.size());
  std::partial_sort(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(end), kept_.end(), goes_before);
  kept_.resize(end);
}

std::vector<TokenScore> LargestScores::take() {
  cut();
  return std::move(kept_);
}

}  // namespace headscope

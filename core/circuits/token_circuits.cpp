#include "core/circuits/token_circuits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

using Vector = std::vector<double>;

constexpr std::int64_t kTokensAtOnce = 256;
const Axes kRowAxes{Axis::batch, Axis::position, Axis::feature};

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

// Matrix m of a stack [matrices, rows, columns] times x, or its transpose times x.
Vector times(const Tensor& stack, std::int64_t m, const Vector& x, bool transposed) {
  const std::int64_t rows = stack.dim(1), columns = stack.dim(2);
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  stack.read({{m, m + 1}, {0, rows}, {0, columns}}, values);
  Vector y(static_cast<std::size_t>(transposed ? columns : rows));
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

// 1 / sqrt(mean of squares + eps) of a row, of a LayerNorm less its mean.
double scale_of_norm(const Architecture& architecture, const Vector& row) {
  const auto count = static_cast<double>(row.size());
  double mean = 0, squares = 0;
  if (architecture.norm == Architecture::Norm::layer) {
    for (const double value : row) mean += value / count;
  }
  for (const double value : row) squares += (value - mean) * (value - mean) / count;
  return 1 / std::sqrt(squares + architecture.norm_eps);
}

// Gives y_t of tokens.
class EmbeddedTokens {
 public:
  EmbeddedTokens(const Checkpoint& checkpoint, std::int64_t layer, NormFolding folding)
      : architecture_(checkpoint.architecture()),
        weights_(checkpoint.embedding()),
        normed_(folding == NormFolding::fold && architecture_.norms_input() &&
                !checkpoint.block(layer).attention_norm.empty()) {}

  std::int64_t count() const { return weights_.word.dim(0); }

  // visit(id, y) for the tokens [begin, end).
  template <typename Visit>
  void visit(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    const std::int64_t width = weights_.word.dim(1);
    std::vector<float> values(static_cast<std::size_t>((end - begin) * width));
    weights_.word.read({{begin, end}, {0, width}}, values);
    const auto scale = static_cast<float>(architecture_.embedding_scale);
    for (float& value : values) value *= scale;
    Tensor rows = Tensor::of({1, end - begin, width}, kRowAxes, std::move(values));
    norm_rows(architecture_, weights_.norm, rows, 0, rows);
    rows = projected_embedding(weights_, rows);
    const std::vector<float> all = rows.values();
    const std::int64_t features = rows.dim(2);
    for (std::int64_t id = begin; id < end; ++id) {
      const auto from = all.begin() + (id - begin) * features;
      Vector y(from, from + features);
      if (normed_) {
        const double factor = scale_of_norm(architecture_, y);
        for (double& value : y) value *= factor;
      }
      visit(id, y);
    }
  }

  Vector of(std::int64_t id) const {
    Vector found;
    visit(id, id + 1, [&](std::int64_t, const Vector& y) { found = y; });
    return found;
  }

 private:
  const Architecture& architecture_;
  EmbeddingWeights weights_;
  bool normed_ = false;
};

// NaN goes last.
bool goes_before(const TokenScore& a, const TokenScore& b) {
  if (std::isnan(a.value) || std::isnan(b.value))
    return std::isnan(a.value) == std::isnan(b.value) ? a.id < b.id : !std::isnan(a.value);
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

std::vector<TokenScore> largest(const Vector& values, std::int64_t top) {
  std::vector<TokenScore> scores;
  scores.reserve(values.size());
  for (std::size_t id = 0; id < values.size(); ++id) scores.push_back({static_cast<std::int64_t>(id), values[id]});
  const auto end = scores.begin() + std::min<std::int64_t>(top, std::ssize(scores));
  std::partial_sort(scores.begin(), end, scores.end(), goes_before);
  scores.erase(end, scores.end());
  return scores;
}

// diag(gain) P of the final norm.
Vector before_decoder(const Architecture& architecture, const NormWeights& norm, Vector written) {
  if (norm.empty()) return written;
  double mean = 0;
  if (architecture.norm == Architecture::Norm::layer) {
    for (const double value : written) mean += value / static_cast<double>(written.size());
  }
  const std::vector<float> gain = norm.weight.values();
  for (std::size_t d = 0; d < written.size(); ++d) {
    written[d] = (written[d] - mean) * ((architecture.norm_plus_one ? 1.0 : 0.0) + static_cast<double>(gain[d]));
  }
  return written;
}

// What the decoder makes of a direction, for every token.
Vector decoded(const Linear& decoder, const Vector& direction, const CancelToken& cancel) {
  const std::int64_t count = decoder.weight.dim(0), width = decoder.weight.dim(1);
  HEADSCOPE_ASSERT(width == std::ssize(direction), to_string(decoder.weight.shape()));
  Vector logits;
  std::vector<float> values(static_cast<std::size_t>(kTokensAtOnce * width));
  for (std::int64_t first = 0; first < count; first += kTokensAtOnce) {
    cancel.check();
    const std::int64_t end = std::min(first + kTokensAtOnce, count);
    decoder.weight.read({{first, end}, {0, width}},
                        std::span(values).first(static_cast<std::size_t>((end - first) * width)));
    for (std::int64_t id = first; id < end; ++id) {
      const auto from = values.begin() + (id - first) * width;
      logits.push_back(product(Vector(from, from + width), direction));
    }
  }
  return logits;
}

}  // namespace

TokenCircuit token_circuit(const Checkpoint& checkpoint, const TokenQuestion& question, NormFolding folding,
                           const CancelToken& cancel) {
  const Architecture& architecture = checkpoint.architecture();
  const HeadMaps maps = head_maps(checkpoint, question.layer, folding);
  const EmbeddedTokens tokens(checkpoint, question.layer, folding);
  HEADSCOPE_ASSERT(0 <= question.head && question.head < maps.heads(), std::to_string(question.head));
  HEADSCOPE_ASSERT(0 <= question.id && question.id < tokens.count(), std::to_string(question.id));
  const std::int64_t head = question.head, group = maps.group_of(head);
  const Vector own = tokens.of(question.id);
  const double scale =
      architecture.score_scale_of(question.layer).value_or(1 / std::sqrt(static_cast<double>(architecture.head_dim)));
  const Vector as_query = times(maps.key, group, times(maps.query, head, own, false), true),
               as_key = times(maps.query, head, times(maps.key, group, own, false), true);
  Vector keys, queries;
  for (std::int64_t first = 0; first < tokens.count(); first += kTokensAtOnce) {
    cancel.check();
    tokens.visit(first, std::min(first + kTokensAtOnce, tokens.count()), [&](std::int64_t, const Vector& y) {
      keys.push_back(scale * product(as_query, y));
      queries.push_back(scale * product(as_key, y));
    });
  }
  TokenCircuit found{largest(keys, question.top), largest(queries, question.top), {}};
  const OutputHead output = checkpoint.output_head();
  if (output.kind != OutputHead::Kind::next_token || !output.transform.empty()) return found;
  Vector written = times(maps.output, head, times(maps.value, group, own, false), true);
  if (folding == NormFolding::fold) written = before_decoder(architecture, output.final_norm, std::move(written));
  found.writes = largest(decoded(output.decoder, written, cancel), question.top);
  return found;
}

}  // namespace headscope

#include "core/circuits/head_scores.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/circuits/embedded_tokens.h"
#include "core/circuits/stacked_values.h"

namespace headscope {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMatrix matrix_of(const std::vector<double>& rows, std::int64_t width) {
  return Eigen::Map<const RowMatrix>(rows.data(), std::ssize(rows) / width, width);
}

RowMatrix map_in(const Tensor& stack, std::int64_t number) {
  return matrix_of(stacked_values(stack, number), stack.dim(2));
}

// E^T U.
RowMatrix tokens_to_logits(const EmbeddedTokens& tokens, const TokenDecoder& decoder, const CancelToken& cancel) {
  const std::int64_t width = tokens.width();
  RowMatrix sum = RowMatrix::Zero(width, width);
  visit_blocks(std::min(tokens.count(), decoder.count()), cancel, [&](std::int64_t begin, std::int64_t end) {
    sum.noalias() += matrix_of(tokens.rows(begin, end), width).transpose() * matrix_of(decoder.rows(begin, end), width);
  });
  return sum;
}

double copying_of(const HeadMaps& maps, std::int64_t head, const RowMatrix& between, const TokenDecoder& decoder) {
  RowMatrix written = map_in(maps.output, head);
  for (Eigen::Index row = 0; row < written.rows(); ++row) {
    const double* const begin = written.data() + row * written.cols();
    const std::vector<double> direction = decoder.direction({begin, begin + written.cols()});
    std::copy(direction.begin(), direction.end(), written.data() + row * written.cols());
  }
  const Eigen::MatrixXd small = map_in(maps.value, maps.group_of(head)) * between * written.transpose();
  if (!small.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::EigenSolver<Eigen::MatrixXd> solved(small, false);
  const double sizes = solved.eigenvalues().cwiseAbs().sum();
  return sizes > 0 ? small.trace() / sizes : std::numeric_limits<double>::quiet_NaN();
}

struct Positions {
  const RowMatrix& rows;
  double scale;
  bool causal;
};

double previous_of(const HeadMaps& maps, std::int64_t head, const Positions& positions) {
  const RowMatrix queries = positions.rows * map_in(maps.query, head).transpose(),
                  keys = positions.rows * map_in(maps.key, maps.group_of(head)).transpose();
  const Eigen::Index count = queries.rows();
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (Eigen::Index i = 1; i < count; ++i) {
    const Eigen::VectorXd scores =
        positions.scale * (keys.topRows(positions.causal ? i + 1 : count) * queries.row(i).transpose());
    const double largest = scores.maxCoeff();
    sum += std::exp(scores[i - 1] - largest) / (scores.array() - largest).exp().sum();
  }
  return sum / static_cast<double>(count - 1);
}

}  // namespace

std::vector<HeadScores> head_scores(const Checkpoint& checkpoint, NormFolding folding, const CancelToken& cancel,
                                    const std::function<void(std::int64_t done, std::int64_t count)>& progress) {
  const Architecture& architecture = checkpoint.architecture();
  const TokenDecoder decoder(checkpoint, folding);
  std::optional<bool> normed;  // of `between`, which all layers share whose norms treat tokens alike
  RowMatrix between;
  std::vector<HeadScores> found;
  for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
    if (progress) progress(layer, architecture.num_layers);
    const HeadMaps maps = head_maps(checkpoint, layer, folding);
    const EmbeddedTokens tokens(checkpoint, layer, folding);
    if (!decoder.empty() && normed != tokens.normed()) {
      between = tokens_to_logits(tokens, decoder, cancel);
      normed = tokens.normed();
    }
    const bool learned = tokens.positions() > 0 && !architecture.image && !architecture.features;
    const RowMatrix rows = learned ? matrix_of(tokens.position_rows(), tokens.width()) : RowMatrix();
    const Positions positions{rows, score_scale_in(architecture, layer), architecture.causal};
    for (std::int64_t head = 0; head < maps.heads(); ++head) {
      cancel.check();
      HeadScores scores{layer, head, std::nullopt, std::nullopt};
      if (!decoder.empty()) scores.copying = copying_of(maps, head, between, decoder);
      if (learned) scores.previous_token = previous_of(maps, head, positions);
      found.push_back(scores);
    }
  }
  return found;
}

}  // namespace headscope

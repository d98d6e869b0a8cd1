#include "core/model/stack.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/assert.h"
#include "core/model/experts.h"
#include "core/model/row_convolution.h"
#include "core/model/row_norm.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 256;  // of an MLP: what lies between its matrices stays small
const Axes kAxes{Axis::batch, Axis::position, Axis::feature};

float* row_of(Tensor& tensor, std::int64_t b, std::int64_t i) {
  return tensor.mutable_data() + b * tensor.strides()[0] + i * tensor.strides()[1];
}

const float* row_of(const Tensor& tensor, std::int64_t b, std::int64_t i) {
  return tensor.data() + b * tensor.strides()[0] + i * tensor.strides()[1];
}

// row += addend
void add_row(float* row, const float* addend, std::int64_t features) {
  for (std::int64_t d = 0; d < features; ++d) row[d] += addend[d];
}

// In double, as so many interleaved sums that their additions need not wait for each other.
double scaled_product(const std::vector<float>& factors, const float* x) {
  std::array<double, 4> parts{};
  std::size_t d = 0;
  for (; d + parts.size() <= factors.size(); d += parts.size()) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      parts[part] += static_cast<double>(factors[d + part]) * static_cast<double>(x[d + part]);
    }
  }
  for (; d < factors.size(); ++d) parts[0] += static_cast<double>(factors[d]) * static_cast<double>(x[d]);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

// mlp(x), [batch, rows, d_model].
void mlp_of(const Architecture& architecture, const BlockWeights& weights, const Tensor& x, const Backend& backend,
            const CancelToken& cancel, Tensor& result) {
  if (weights.experts != nullptr) return experts_of(architecture, *weights.experts, x, backend, cancel, result);
  const Shape wide{x.dim(0), x.dim(1), architecture.mlp_width};
  Tensor up = Tensor::zeros(wide, kAxes);
  backend.linear_into(x, weights.up, up, cancel);
  const std::span<float> values(up.mutable_data(), static_cast<std::size_t>(up.size()));
  if (architecture.mlp == Architecture::Mlp::gated) {
    Tensor gate = Tensor::zeros(wide, kAxes);
    backend.linear_into(x, weights.gate, gate, cancel);
    const std::span<float> gates(gate.mutable_data(), values.size());
    activate(architecture.activation, gates);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] *= gates[k];
  } else {
    activate(architecture.activation, values);
  }
  backend.linear_into(up, weights.down, result, cancel);
}

// sum += addend, row by row.
void add_rows(const Tensor& addend, Tensor& sum) {
  for (std::int64_t b = 0; b < sum.dim(0); ++b) {
    for (std::int64_t i = 0; i < sum.dim(1); ++i) add_row(row_of(sum, b, i), row_of(addend, b, i), sum.dim(2));
  }
}

}  // namespace

void norm_rows(const Architecture& architecture, const NormWeights& norm, const Tensor& x, std::int64_t begin,
               Tensor& y) {
  norm_rows(row_norm_of(architecture, norm), x, begin, y);
}

Tensor projected_embedding(const EmbeddingWeights& weights, const Tensor& rows) {
  const Linear& projection = weights.projection;
  if (projection.empty()) return rows;
  const std::int64_t width = rows.dim(2), features = projection.weight.dim(0);
  Tensor x = Tensor::zeros({rows.dim(0), rows.dim(1), features}, kAxes);
  std::vector<float> factors(static_cast<std::size_t>(width));
  for (std::int64_t d = 0; d < features; ++d) {
    projection.weight.read({{d, d + 1}, {0, width}}, factors);
    const double bias = projection.bias.empty() ? 0.0 : static_cast<double>(projection.bias.at({d}));
    for (std::int64_t b = 0; b < rows.dim(0); ++b) {
      for (std::int64_t i = 0; i < rows.dim(1); ++i) {
        row_of(x, b, i)[d] = static_cast<float>(scaled_product(factors, row_of(rows, b, i)) + bias);
      }
    }
  }
  return x;
}

Tensor normed_embedding(const Architecture& architecture, const EmbeddingWeights& weights, const Tensor& rows) {
  Tensor x = architecture.projected_first ? projected_embedding(weights, rows) : rows;
  Tensor normed = Tensor::zeros(x.shape(), kAxes);
  norm_rows(architecture, weights.norm, x, 0, normed);
  return architecture.projected_first ? normed : projected_embedding(weights, normed);
}

Tensor embedded(const Checkpoint& checkpoint, std::span<const std::int64_t> ids, std::span<const std::int64_t> types,
                std::int64_t batch) {
  const Architecture& architecture = checkpoint.architecture();
  const EmbeddingWeights weights = checkpoint.embedding();
  const auto len = static_cast<std::int64_t>(ids.size());
  const std::int64_t features = architecture.word_width();
  const auto scale = static_cast<float>(architecture.embedding_scale);
  Tensor first = Tensor::zeros({1, len, features}, kAxes);
  std::vector<float> row(static_cast<std::size_t>(features));
  const auto add = [&](const Tensor& table, std::int64_t index, float* to) {
    if (table.empty()) return;
    table.read({{index, index + 1}, {0, features}}, row);
    add_row(to, row.data(), features);
  };
  for (std::int64_t i = 0; i < len; ++i) {
    const auto place = static_cast<std::size_t>(i);
    float* to = row_of(first, 0, i);
    weights.word.read({{ids[place], ids[place] + 1}, {0, features}}, {to, row.size()});
    if (scale != 1.0F) std::transform(to, to + features, to, [scale](float value) { return value * scale; });
    // The order of the sums is that of BERT's code: types before positions.
    add(weights.token_type, types.empty() ? 0 : types[place], to);
    add(weights.position, i + architecture.position_offset, to);
  }
  first = normed_embedding(architecture, weights, first);
  if (batch == 1) return first;
  Tensor x = Tensor::zeros({batch, len, architecture.d_model}, kAxes);
  for (std::int64_t b = 0; b < batch; ++b) std::copy_n(first.data(), first.size(), row_of(x, b, 0));
  return x;
}

Tensor attended_rows(const Architecture& architecture, const BlockWeights& weights, const AttendedRows& attended,
                     Range rows) {
  const std::int64_t batch = attended.stream.dim(0), features = attended.stream.dim(2);
  Tensor s = Tensor::zeros({batch, rows.size(), features}, kAxes);
  attended.attention.read({{0, batch}, rows, {0, features}}, {s.mutable_data(), static_cast<std::size_t>(s.size())});
  if (!architecture.drops_stream) add_rows(attended.stream.sliced(1, rows.begin, rows.end), s);
  if (architecture.norm_place == Architecture::NormPlace::after_sum) {
    norm_rows(architecture, weights.attention_norm, s, 0, s);
  }
  return s;
}

Tensor mlp_input(const Architecture& architecture, const BlockWeights& weights, const MlpRows& rows) {
  if (!architecture.parallel && !architecture.norms_input()) return rows.attended;
  const bool shared = architecture.parallel && weights.mlp_norm.empty();
  Tensor x = Tensor::zeros(rows.attended.shape(), kAxes);
  norm_rows(architecture, shared ? weights.attention_norm : weights.mlp_norm,
            architecture.parallel ? rows.stream : rows.attended, 0, x);
  return x;
}

void mlp_added(const Architecture& architecture, const BlockWeights& weights, const MlpRows& rows,
               const Backend& backend, const CancelToken& cancel, Tensor& added) {
  mlp_of(architecture, weights, mlp_input(architecture, weights, rows), backend, cancel, added);
  if (architecture.norms_result()) norm_rows(result_norm_of(architecture, weights.mlp_norm_out), added, 0, added);
}

void finish_layer(const Architecture& architecture, const BlockWeights& weights, const AttendedRows& attended,
                  const Backend& backend, const CancelToken& cancel, Tensor& left) {
  const Tensor& stream = attended.stream;
  const Tensor& attention = attended.attention;
  HEADSCOPE_ASSERT(attention.shape() == stream.shape() && left.shape() == stream.shape(),
                   to_string(attention.shape()) + " beside " + to_string(stream.shape()));
  const bool mlp = architecture.mlp != Architecture::Mlp::none;
  const bool after_sum = architecture.norm_place == Architecture::NormPlace::after_sum;
  for (std::int64_t first = attended.begin; first < stream.dim(1); first += kRowsAtOnce) {
    cancel.check();
    const std::int64_t end = std::min(first + kRowsAtOnce, stream.dim(1));
    const Tensor s = attended_rows(architecture, weights, attended, {first, end});
    Tensor rows = left.writable_sliced(1, first, end);
    if (!mlp) {
      norm_rows(architecture, {}, s, 0, rows);
      continue;
    }
    mlp_added(architecture, weights, {stream.sliced(1, first, end), s}, backend, cancel, rows);
    add_rows(s, rows);
    if (after_sum) norm_rows(architecture, weights.mlp_norm, rows, 0, rows);
    add_convolution(architecture, weights, {stream, {first, end}}, backend, cancel, rows);
  }
}

}  // namespace headscope

#include "tests/core/explain/plain_stream.h"

#include <cmath>
#include <numbers>

#include "core/model/checkpoint.h"

namespace headscope {
namespace {

using Vector = std::vector<double>;
using Parts = std::vector<PlainPart>;

Vector wide(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  return {values.begin(), values.end()};
}

Vector row(const Tensor& table, std::int64_t index) {
  Vector result;
  for (std::int64_t d = 0; d < table.dim(1); ++d) result.push_back(static_cast<double>(table.at({index, d})));
  return result;
}

Vector stream_sum_of(const Parts& parts, std::size_t features) {
  Vector sum(features);
  for (const PlainPart& part : parts) {
    for (std::size_t d = 0; d < features; ++d) sum[d] += part.vector[d];
  }
  return sum;
}

double mean_of(const Vector& x) {
  double sum = 0;
  for (const double each : x) sum += each;
  return sum / static_cast<double>(x.size());
}

// 1 / standard deviation, or 1 / root mean square.
double scale_of(const Architecture& architecture, const Vector& x) {
  const double mean = architecture.norm == Architecture::Norm::layer ? mean_of(x) : 0;
  double squares = 0;
  for (const double each : x) squares += (each - mean) * (each - mean);
  return 1 / std::sqrt(squares / static_cast<double>(x.size()) + architecture.norm_eps);
}

Vector scaled(const Architecture& architecture, const NormWeights& norm, const Vector& x, double scale) {
  const double mean = architecture.norm == Architecture::Norm::layer ? mean_of(x) : 0;
  const Vector weight = wide(norm.weight);
  Vector y(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) {
    y[d] = (x[d] - mean) * scale * (weight[d] + (architecture.norm_plus_one ? 1 : 0));
  }
  return y;
}

Vector normed(const Architecture& architecture, const NormWeights& norm, const Vector& x) {
  Vector y = scaled(architecture, norm, x, scale_of(architecture, x));
  if (norm.bias.empty()) return y;
  const Vector bias = wide(norm.bias);
  for (std::size_t d = 0; d < y.size(); ++d) y[d] += bias[d];
  return y;
}

// Every part through the norm of their sum, whose bias becomes a part.
void norm_parts(const Architecture& architecture, const NormWeights& norm, PlainPart bias, Parts& parts) {
  if (norm.empty()) return;
  const std::size_t features = parts[0].vector.size();
  const double scale = scale_of(architecture, stream_sum_of(parts, features));
  for (PlainPart& part : parts) part.vector = scaled(architecture, norm, part.vector, scale);
  if (norm.bias.empty()) return;
  bias.vector = wide(norm.bias);
  parts.push_back(bias);
}

Vector times(const Linear& linear, const Vector& x) {
  const Vector weight = wide(linear.weight);
  Vector y(static_cast<std::size_t>(linear.weight.dim(0)));
  for (std::size_t o = 0; o < y.size(); ++o) {
    for (std::size_t d = 0; d < x.size(); ++d) y[o] += weight[o * x.size() + d] * x[d];
    if (!linear.bias.empty()) y[o] += static_cast<double>(linear.bias.at({static_cast<std::int64_t>(o)}));
  }
  return y;
}

double activated(Architecture::Activation activation, double x) {
  switch (activation) {
    case Architecture::Activation::gelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Architecture::Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Architecture::Activation::silu:
      return x / (1 + std::exp(-x));
    case Architecture::Activation::relu:
      return x < 0 ? 0 : x;
    case Architecture::Activation::quick_gelu:
      return x / (1 + std::exp(-1.702 * x));
  }
  return std::nan("");
}

Vector mlp(const Architecture& architecture, const BlockWeights& weights, const Vector& x) {
  Vector up = times(weights.up, x);
  const bool gated = architecture.mlp == Architecture::Mlp::gated;
  const Vector gate = gated ? times(weights.gate, x) : Vector();
  for (std::size_t k = 0; k < up.size(); ++k) {
    up[k] = gated ? activated(architecture.activation, gate[k]) * up[k] : activated(architecture.activation, up[k]);
  }
  return times(weights.down, up);
}

// What is put through the columns of one head.
Vector through_output(const Tensor& weight, std::int64_t head, const Vector& context) {
  Vector y(static_cast<std::size_t>(weight.dim(0)));
  const auto features = static_cast<std::int64_t>(context.size());
  for (std::int64_t o = 0; o < weight.dim(0); ++o) {
    for (std::int64_t d = 0; d < features; ++d) {
      y[static_cast<std::size_t>(o)] +=
          static_cast<double>(weight.at({o, head * features + d})) * context[static_cast<std::size_t>(d)];
    }
  }
  return y;
}

Vector context_row(const Tensor& tensor, std::int64_t head, std::int64_t position, double factor) {
  Vector result;
  for (std::int64_t d = 0; d < tensor.dim(3); ++d) {
    result.push_back(factor * static_cast<double>(tensor.at({0, head, position, d})));
  }
  return result;
}

Parts attention(const Trace& trace, std::int64_t position, bool sources) {
  const std::int64_t layer = trace.inputs->layer;
  const Tensor& output = trace.inputs->weights.output.weight;
  const Tensor& value = trace.tensor(StageId::value);
  const bool drops = trace.find(StageId::dropped_weights) != nullptr;
  const Tensor& weights = trace.tensor(drops ? StageId::dropped_weights : StageId::weights);
  Parts parts;
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
    if (!sources) {
      const Vector context = context_row(trace.tensor(StageId::context), h, position, 1);
      parts.push_back({"head", layer, h, -1, through_output(output, h, context)});
      continue;
    }
    for (std::int64_t j = 0; j < trace.key_len(); ++j) {
      const double weight = static_cast<double>(weights.at({0, h, position, j}));
      const Vector context = context_row(value, h * value.dim(1) / trace.num_heads(), j, weight);
      parts.push_back({"source", layer, h, j, through_output(output, h, context)});
    }
  }
  const Tensor& bias = trace.inputs->weights.output.bias;
  if (!bias.empty()) parts.push_back({"attention bias", layer, -1, -1, wide(bias)});
  return parts;
}

void layer_parts(const ModelTrace& model, std::int64_t layer, std::int64_t position, bool sources, Parts& parts) {
  const Architecture& architecture = model.checkpoint->architecture();
  const BlockWeights weights = model.checkpoint->block(layer);
  const auto features = static_cast<std::size_t>(architecture.d_model);
  const bool after_sum = architecture.norm_place == Architecture::NormPlace::after_sum;
  const Vector entering = stream_sum_of(parts, features);
  Parts written = attention(*model.layers[static_cast<std::size_t>(layer)], position, sources);
  if (architecture.norms_result()) {
    norm_parts(architecture, weights.attention_norm_out, {"attention norm bias", layer, -1, -1, {}}, written);
  }
  parts.insert(parts.end(), written.begin(), written.end());
  if (after_sum) norm_parts(architecture, weights.attention_norm, {"attention norm bias", layer, -1, -1, {}}, parts);
  if (architecture.mlp == Architecture::Mlp::none) return;
  Vector x = stream_sum_of(parts, features);
  if (architecture.parallel) {
    x = normed(architecture, weights.mlp_norm.empty() ? weights.attention_norm : weights.mlp_norm, entering);
  } else if (architecture.norms_input()) {
    x = normed(architecture, weights.mlp_norm, x);
  }
  Vector added = mlp(architecture, weights, x);
  if (architecture.norms_result()) added = normed(architecture, weights.mlp_norm_out, added);
  parts.push_back({"mlp", layer, -1, -1, added});
  if (after_sum) norm_parts(architecture, weights.mlp_norm, {"mlp norm bias", layer, -1, -1, {}}, parts);
}

}  // namespace

PlainLogit plain_logit(const ModelTrace& model, std::int64_t position, std::int64_t id, bool sources) {
  const Architecture& architecture = model.checkpoint->architecture();
  const EmbeddingWeights embedding = model.checkpoint->embedding();
  const OutputHead head = model.checkpoint->output_head();
  const Inputs& inputs = *model.layers[0]->inputs;
  Parts parts;
  Vector word = row(embedding.word, inputs.token_ids[static_cast<std::size_t>(position)]);
  for (double& each : word) each *= architecture.embedding_scale;
  parts.push_back({"embedding", -1, -1, -1, word});
  if (!embedding.token_type.empty()) parts.push_back({"token types", -1, -1, -1, row(embedding.token_type, 0)});
  if (!embedding.position.empty()) {
    parts.push_back({"positions", -1, -1, -1, row(embedding.position, position + architecture.position_offset)});
  }
  norm_parts(architecture, embedding.norm, {"embedding norm bias", -1, -1, -1, {}}, parts);
  for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
    layer_parts(model, layer, position, sources, parts);
  }
  norm_parts(architecture, head.final_norm, {"final norm bias", -1, -1, -1, {}}, parts);
  const Vector decoder = row(head.decoder.weight, id);
  PlainLogit result;
  for (const PlainPart& part : parts) {
    double value = 0;
    for (std::size_t d = 0; d < decoder.size(); ++d) value += decoder[d] * part.vector[d];
    result.values.push_back(value);
  }
  if (!head.decoder.bias.empty()) {
    parts.push_back({"decoder bias", -1, -1, -1, {}});
    result.values.push_back(static_cast<double>(head.decoder.bias.at({id})));
  }
  double raw = 0;
  for (double& each : result.values) raw += each *= architecture.logit_scale;
  if (architecture.logit_softcap) {
    const double cap = *architecture.logit_softcap;
    for (double& each : result.values) each *= cap * std::tanh(raw / cap) / raw;
  }
  for (const double each : result.values) result.sum += each;
  result.parts = parts;
  return result;
}

}  // namespace headscope

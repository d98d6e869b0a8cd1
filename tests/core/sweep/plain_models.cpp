#include "tests/core/sweep/plain_models.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/io/safetensors.h"

namespace headscope {
namespace {

struct PlainWeights {
  std::map<std::string, std::pair<std::vector<std::int64_t>, std::vector<float>>> all;

  // Read once a program.
  static const PlainWeights& of(std::string_view model) {
    static std::map<std::string, PlainWeights> known;
    const std::string name(model);
    return known.try_emplace(name, name).first->second;
  }

  explicit PlainWeights(const std::string& model) {
    const auto file = SafetensorsFile::open(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model +
                                            "/model.safetensors");
    for (const SafetensorsEntry& entry : file.entries()) all[entry.name] = {entry.shape, file.tensor(entry).values()};
  }
  double at(const std::string& name, std::size_t k) const {
    const auto found = all.find(name);
    return found == all.end() ? 0 : static_cast<double>(found->second.second.at(k));
  }
  // Zeros where there is none.
  std::vector<double> vector(const std::string& name, std::size_t size) const {
    const auto found = all.find(name);
    if (found == all.end()) return std::vector<double>(size);
    return {found->second.second.begin(), found->second.second.end()};
  }
  std::vector<double> row(const std::string& name, std::int64_t row) const {
    const auto& [shape, values] = all.at(name);
    const auto begin = values.begin() + row * shape.at(1);
    return {begin, begin + shape.at(1)};
  }
  // x W^T + b of [out, in]; of GPT-2's [in, out] x W + b.
  PlainRows linear(const std::string& name, const PlainRows& x, bool in_first = false) const {
    const auto& [shape, values] = all.at(name + ".weight");
    const auto out = static_cast<std::size_t>(shape[in_first ? 1 : 0]),
               in = static_cast<std::size_t>(shape[in_first ? 0 : 1]);
    PlainRows y(x.size(), std::vector<double>(out));
    const std::vector<double> bias = vector(name + ".bias", out);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t o = 0; o < out; ++o) {
        double sum = bias[o];
        for (std::size_t d = 0; d < in; ++d) {
          sum += x[i][d] * static_cast<double>(values[in_first ? d * out + o : o * in + d]);
        }
        y[i][o] = sum;
      }
    }
    return y;
  }
  PlainRows layer_norm(const std::string& name, PlainRows x, double eps) const {
    const std::vector<double> weight = vector(name + ".weight", x[0].size()),
                              bias = vector(name + ".bias", x[0].size());
    for (std::vector<double>& row : x) {
      double mean = 0, square = 0;
      for (const double value : row) mean += value / static_cast<double>(row.size());
      for (const double value : row) square += (value - mean) * (value - mean) / static_cast<double>(row.size());
      for (std::size_t d = 0; d < row.size(); ++d) {
        row[d] = (row[d] - mean) / std::sqrt(square + eps) * weight[d] + bias[d];
      }
    }
    return x;
  }
  PlainRows rms_norm(const std::string& name, PlainRows x, double eps) const {
    const std::vector<double> weight = vector(name + ".weight", x[0].size());
    for (std::vector<double>& row : x) {
      double square = 0;
      for (const double value : row) square += value * value / static_cast<double>(row.size());
      for (std::size_t d = 0; d < row.size(); ++d) row[d] = row[d] / std::sqrt(square + eps) * weight[d];
    }
    return x;
  }
};

PlainRows sum(PlainRows a, const PlainRows& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t d = 0; d < a[i].size(); ++d) a[i][d] += b[i][d];
  }
  return a;
}

template <typename Function>
PlainRows each(PlainRows x, const Function& f) {
  for (std::vector<double>& row : x) {
    for (double& value : row) value = f(value);
  }
  return x;
}

double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}
double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double silu(double x) {
  return x / (1 + std::exp(-x));
}

// Su et al. 2021: pairs (p, p + size / 2) turned by position / 10000^(2 p / size).
PlainRows turned(PlainRows x, std::size_t heads) {
  const std::size_t size = x[0].size() / heads;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t p = 0; p < size / 2; ++p) {
        const double angle =
            static_cast<double>(i) / std::pow(10000.0, 2.0 * static_cast<double>(p) / static_cast<double>(size));
        double &a = x[i][h * size + p], &b = x[i][h * size + p + size / 2];
        const double first = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = first;
      }
    }
  }
  return x;
}

struct Attending {
  std::string layer;  // "0/"
  std::size_t heads, groups;
  bool causal;
};

// Vaswani et al. 2017, eq. 1, head by head; groups: Ainslie et al. 2023.
PlainRows attend(const Attending& of, PlainRows query, PlainRows key, PlainRows value, PlainParts& parts) {
  parts.pass(of.layer + "query", query);
  parts.pass(of.layer + "key", key);
  parts.pass(of.layer + "value", value);
  const std::size_t len = query.size(), size = query[0].size() / of.heads;
  PlainRows weights(of.heads * len, std::vector<double>(len));
  for (std::size_t h = 0; h < of.heads; ++h) {
    const std::size_t g = h / (of.heads / of.groups);
    for (std::size_t i = 0; i < len; ++i) {
      double total = 0;
      for (std::size_t j = 0; j < (of.causal ? i + 1 : len); ++j) {
        double score = 0;
        for (std::size_t d = 0; d < size; ++d) score += query[i][h * size + d] * key[j][g * size + d];
        total += weights[h * len + i][j] = std::exp(score / std::sqrt(static_cast<double>(size)));
      }
      for (double& weight : weights[h * len + i]) weight /= total;
    }
  }
  parts.pass(of.layer + "weights", weights);
  PlainRows concat(len, std::vector<double>(query[0].size()));
  for (std::size_t h = 0; h < of.heads; ++h) {
    const std::size_t g = h / (of.heads / of.groups);
    for (std::size_t i = 0; i < len; ++i) {
      for (std::size_t d = 0; d < size; ++d) {
        for (std::size_t j = 0; j < len; ++j) {
          concat[i][h * size + d] += weights[h * len + i][j] * value[j][g * size + d];
        }
      }
    }
  }
  parts.pass(of.layer + "concat", concat);
  return concat;
}

// Columns [begin, end) of every row.
PlainRows columns(const PlainRows& x, std::size_t begin, std::size_t end) {
  PlainRows part;
  for (const auto& row : x) {
    part.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(begin), row.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return part;
}

// x word^T: the decoder that shares the embeddings.
PlainRows tied(const PlainWeights& w, const std::string& word, const PlainRows& x) {
  PlainRows y;
  for (const auto& row : x) {
    y.emplace_back();
    for (std::int64_t id = 0; id < w.all.at(word).first[0]; ++id) {
      const std::vector<double> other = w.row(word, id);
      double dot = 0;
      for (std::size_t d = 0; d < row.size(); ++d) dot += row[d] * other[d];
      y.back().push_back(dot);
    }
  }
  return y;
}

PlainRows gpt2(const std::vector<std::int64_t>& ids, PlainParts& parts) {
  const PlainWeights& w = PlainWeights::of("gpt2");
  const bool prefixed = w.all.contains("transformer.wte.weight");
  const std::string p = prefixed ? "transformer." : "";
  PlainRows x;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.push_back(w.row(p + "wte.weight", ids[i]));
    const auto position = w.row(p + "wpe.weight", static_cast<std::int64_t>(i));
    for (std::size_t d = 0; d < position.size(); ++d) x[i][d] += position[d];
  }
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = fmt::format("{}/", layer), h = fmt::format("{}h.{}.", p, layer);
    parts.pass(name + "stream", x);
    const PlainRows qkv = w.linear(h + "attn.c_attn", w.layer_norm(h + "ln_1", x, 1e-5), true);
    const PlainRows concat =
        attend({name, 3, 3, true}, columns(qkv, 0, 12), columns(qkv, 12, 24), columns(qkv, 24, 36), parts);
    PlainRows output = w.linear(h + "attn.c_proj", concat, true);
    parts.pass(name + "output", output);
    x = sum(x, output);
    PlainRows inner = each(w.linear(h + "mlp.c_fc", w.layer_norm(h + "ln_2", x, 1e-5), true), gelu_tanh);
    parts.pass(name + "neurons", inner);
    PlainRows added = w.linear(h + "mlp.c_proj", inner, true);
    parts.pass(name + "mlp_out", added);
    x = sum(x, added);
  }
  return tied(w, p + "wte.weight", w.layer_norm(p + "ln_f", x, 1e-5));
}

PlainRows llama(const std::vector<std::int64_t>& ids, PlainParts& parts) {
  const PlainWeights& w = PlainWeights::of("llama");
  PlainRows x;
  for (const std::int64_t id : ids) x.push_back(w.row("model.embed_tokens.weight", id));
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = fmt::format("{}/", layer), l = fmt::format("model.layers.{}.", layer);
    parts.pass(name + "stream", x);
    const PlainRows normed = w.rms_norm(l + "input_layernorm", x, 1e-6);
    const PlainRows concat =
        attend({name, 4, 2, true}, turned(w.linear(l + "self_attn.q_proj", normed), 4),
               turned(w.linear(l + "self_attn.k_proj", normed), 2), w.linear(l + "self_attn.v_proj", normed), parts);
    PlainRows output = w.linear(l + "self_attn.o_proj", concat);
    parts.pass(name + "output", output);
    x = sum(x, output);
    const PlainRows inner = w.rms_norm(l + "post_attention_layernorm", x, 1e-6);
    PlainRows gated = each(w.linear(l + "mlp.gate_proj", inner), silu);
    const PlainRows up = w.linear(l + "mlp.up_proj", inner);
    for (std::size_t i = 0; i < gated.size(); ++i) {
      for (std::size_t d = 0; d < gated[i].size(); ++d) gated[i][d] *= up[i][d];
    }
    parts.pass(name + "neurons", gated);
    PlainRows added = w.linear(l + "mlp.down_proj", gated);
    parts.pass(name + "mlp_out", added);
    x = sum(x, added);
  }
  return w.linear("lm_head", w.rms_norm("model.norm", x, 1e-6));
}

PlainRows bert(const std::vector<std::int64_t>& ids, PlainParts& parts) {
  const PlainWeights& w = PlainWeights::of("bert");
  const std::string e = "bert.embeddings.";
  PlainRows x;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.push_back(w.row(e + "word_embeddings.weight", ids[i]));
    const auto position = w.row(e + "position_embeddings.weight", static_cast<std::int64_t>(i)),
               type = w.row(e + "token_type_embeddings.weight", 0);
    for (std::size_t d = 0; d < position.size(); ++d) x[i][d] += position[d] + type[d];
  }
  x = w.layer_norm(e + "LayerNorm", x, 1e-12);
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = fmt::format("{}/", layer), l = fmt::format("bert.encoder.layer.{}.", layer);
    parts.pass(name + "stream", x);
    const PlainRows concat =
        attend({name, 3, 3, false}, w.linear(l + "attention.self.query", x), w.linear(l + "attention.self.key", x),
               w.linear(l + "attention.self.value", x), parts);
    PlainRows output = w.linear(l + "attention.output.dense", concat);
    parts.pass(name + "output", output);
    x = w.layer_norm(l + "attention.output.LayerNorm", sum(x, output), 1e-12);
    PlainRows inner = each(w.linear(l + "intermediate.dense", x), gelu);
    parts.pass(name + "neurons", inner);
    PlainRows added = w.linear(l + "output.dense", inner);
    parts.pass(name + "mlp_out", added);
    x = w.layer_norm(l + "output.LayerNorm", sum(x, added), 1e-12);
  }
  const std::string head = "cls.predictions.transform.";
  x = w.layer_norm(head + "LayerNorm", each(w.linear(head + "dense", x), gelu), 1e-12);
  PlainRows logits = tied(w, e + "word_embeddings.weight", x);
  for (auto& row : logits) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += w.at("cls.predictions.bias", k);
  }
  return logits;
}

}  // namespace

PlainSizes plain_sizes(const std::string& model) {
  return model == "llama" ? PlainSizes{2, 4, 2, 16} : PlainSizes{2, 3, 3, 12};
}

PlainRows plain_logits(const std::string& model, const std::vector<std::int64_t>& ids, PlainParts& parts) {
  return model == "gpt2" ? gpt2(ids, parts) : model == "llama" ? llama(ids, parts) : bert(ids, parts);
}

}  // namespace headscope

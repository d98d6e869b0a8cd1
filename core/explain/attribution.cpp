#include "core/explain/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "core/attention/model_stages.h"
#include "core/attention/output_head.h"
#include "core/attention/patches.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/explain/held_norm.h"
#include "core/explain/stream_row.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// UsageError for what cannot be attributed.
void check_model(const ModelTrace& model) {
  if (model.checkpoint == nullptr) {
    throw UsageError("model", model.name + " is a capture, which has no weights behind its attention", "a checkpoint");
  }
  check_one_stack("model", model);
  const OutputHead head = model.checkpoint->output_head();
  if (head.kind == OutputHead::Kind::none) {
    throw UsageError("model", fmt::format("{} {}", model.name, model.checkpoint->why_no_head()), "a model with one");
  }
  if (!head.transform.empty()) {
    throw UsageError("model",
                     model.name +
                         " has a masked head that puts a transform and its activation before the decoder, so "
                         "that a logit is no sum of what was written into the stream",
                     "a model whose decoder reads the stream");
  }
}

// The same, for a position, ids, layers that were not kept and too many parts.
void check_question(const ModelTrace& model, const LogitQuestion& question) {
  const Inputs& inputs = *model.layers[static_cast<std::size_t>(model.layer)]->inputs;
  if (question.position < 0 || question.position >= inputs.query_len) {
    throw UsageError(
        "at",
        fmt::format("found position {}, but there {} {} token{}", question.position,
                    inputs.query_len == 1 ? "is" : "are", inputs.query_len, inputs.query_len == 1 ? "" : "s"),
        fmt::format("0 to {}", inputs.query_len - 1));
  }
  HEADSCOPE_ASSERT(question.ids.size() == 1 || question.ids.size() == 2, std::to_string(question.ids.size()));
  const std::int64_t vocabulary = model.checkpoint->output_head().decoder.weight.dim(0);
  for (const std::int64_t id : question.ids) {
    if (0 <= id && id < vocabulary) continue;
    throw UsageError("token", fmt::format("{} is not in the vocabulary of {}", id, model.name),
                     fmt::format("ids from 0 to {}", vocabulary - 1));
  }
  check_layers_kept("phrase", model);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    if (!has_patches(model.layers[layer]->request, static_cast<std::int64_t>(layer), kStreamPatch)) continue;
    throw UsageError("patch",
                     fmt::format("the stream of layer {} is that of another run, which nothing here wrote", layer),
                     "patches of stages");
  }
  const auto layers = static_cast<std::int64_t>(model.layers.size());
  const std::int64_t sources = layers * inputs.num_heads * inputs.key_len;
  if (question.by == AttributionBy::sources && sources > question.most_sources) {
    throw UsageError("by",
                     fmt::format("found sources, which are {} here: {} layers of {} heads that read {} tokens", sources,
                                 layers, inputs.num_heads, inputs.key_len),
                     fmt::format("heads, or fewer tokens: at most {} sources", question.most_sources));
  }
}

// The decoder as one direction, and what its bias adds.
struct Decoded {
  std::vector<double> direction;  // [d_model], of final_hidden
  double bias = 0;
};

// What a decoder's row gives is multiplied by logit_scale and by the secant of the softcap.
double factor_of(const Architecture& architecture, double decoded) {
  const double scaled = architecture.logit_scale * decoded;
  if (!architecture.logit_softcap || scaled == 0) return architecture.logit_scale;
  const double cap = *architecture.logit_softcap;
  return architecture.logit_scale * (cap * std::tanh(scaled / cap) / scaled);
}

// Adds sign * the token's logit, and notes its factor.
void add_token(const ModelTrace& model, std::int64_t position, double sign, AttributedToken& token, Decoded& decoded) {
  const Linear decoder = model.checkpoint->output_head().decoder;
  std::vector<float> row(static_cast<std::size_t>(decoder.weight.dim(1)));
  decoder.weight.read({{token.id, token.id + 1}, {0, decoder.weight.dim(1)}}, row);
  const double bias = decoder.bias.empty() ? 0.0 : static_cast<double>(decoder.bias.at({token.id}));
  const std::vector<double> wide(row.begin(), row.end());
  token.factor = factor_of(model.checkpoint->architecture(), dot(wide, row_at(model.final_hidden, position)) + bias);
  decoded.direction.resize(row.size());
  for (std::size_t d = 0; d < row.size(); ++d) decoded.direction[d] += sign * token.factor * wide[d];
  decoded.bias += sign * token.factor * bias;
}

// Takes the direction back through a norm that read `x`; its bias becomes a part.
void go_before(const RowNorm& norm, const std::vector<float>& x, const AttributionPart& bias,
               std::vector<double>& direction, std::vector<AttributionPart>& parts) {
  const HeldNorm held(norm, x);
  if (held.has_bias()) {
    parts.push_back(bias);
    parts.back().value = held.of_bias(direction);
  }
  direction = held.before(direction);
}

// What a layer adds, and the direction of its result, which becomes that of its input.
std::vector<AttributionPart> layer_parts(const ModelTrace& model, const LogitQuestion& question, const LayerRow& row,
                                         const Trace& trace, std::vector<double>& direction,
                                         const CancelToken& cancel) {
  const Architecture& architecture = model.checkpoint->architecture();
  const std::int64_t layer = trace.inputs->layer;
  const BlockWeights weights = model.checkpoint->block(layer);
  const bool after_sum = architecture.norm_place == Architecture::NormPlace::after_sum;
  std::vector<AttributionPart> later, norm_bias;
  if (!row.mlp.empty()) {
    if (after_sum) {
      go_before(row_norm_of(architecture, weights.mlp_norm), row.summed, {"mlp norm bias", layer, {}, {}, 0}, direction,
                norm_bias);
    }
    later.push_back({"mlp", layer, {}, {}, dot(direction, row.mlp)});
    later.insert(later.end(), norm_bias.begin(), norm_bias.end());
    norm_bias.clear();
  }
  if (after_sum) {
    go_before(row_norm_of(architecture, weights.attention_norm), row.attended,
              {"attention norm bias", layer, {}, {}, 0}, direction, norm_bias);
  }
  std::vector<AttributionPart> parts = attention_parts({trace, question.position, question.by}, direction, cancel);
  parts.insert(parts.end(), norm_bias.begin(), norm_bias.end());
  parts.insert(parts.end(), later.begin(), later.end());
  return parts;
}

std::vector<AttributionPart> embedding_parts(const ModelTrace& model, const StreamRow& row,
                                             std::vector<double>& direction) {
  std::vector<AttributionPart> norm_bias;
  go_before(row_norm_of(model.checkpoint->architecture(), model.checkpoint->embedding().norm), row.embedded,
            {"embedding norm bias", {}, {}, {}, 0}, direction, norm_bias);
  std::vector<AttributionPart> parts = {{"embedding", {}, {}, {}, dot(direction, row.word)}};
  if (!row.token_type.empty()) parts.push_back({"token types", {}, {}, {}, dot(direction, row.token_type)});
  if (!row.position.empty()) parts.push_back({"positions", {}, {}, {}, dot(direction, row.position)});
  parts.insert(parts.end(), norm_bias.begin(), norm_bias.end());
  return parts;
}

}  // namespace

Attribution attribution(const ModelTrace& model, const LogitQuestion& question, const CancelToken& cancel) {
  check_model(model);
  check_question(model, question);
  const std::vector<float> logits = logits_at(model, 0, question.position, *model.backend, cancel);
  Attribution result;
  Decoded decoded;
  for (std::size_t k = 0; k < question.ids.size(); ++k) {
    const double sign = k == 0 ? 1 : -1;
    const double logit = logits[static_cast<std::size_t>(question.ids[k])];
    result.tokens.push_back({question.ids[k], logit, 1});
    result.total += sign * logit;
    add_token(model, question.position, sign, result.tokens[k], decoded);
  }
  const OutputHead head = model.checkpoint->output_head();
  const StreamRow row = stream_row(model, question.position, cancel);
  // From the last norm back to the first; each group is in the order of computation.
  std::vector<std::vector<AttributionPart>> groups(1);
  std::vector<double>& direction = decoded.direction;
  go_before(row_norm_of(model.checkpoint->architecture(), head.final_norm), row.left,
            {"final norm bias", {}, {}, {}, 0}, direction, groups.back());
  if (!head.decoder.bias.empty()) groups.back().push_back({"decoder bias", {}, {}, {}, decoded.bias});
  for (std::size_t layer = model.layers.size(); layer-- > 0;) {
    cancel.check();
    groups.push_back(layer_parts(model, question, row.layers[layer], *model.layers[layer], direction, cancel));
  }
  groups.push_back(embedding_parts(model, row, direction));
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    result.parts.insert(result.parts.end(), group->begin(), group->end());
  }
  for (const AttributionPart& part : result.parts) result.sum += part.value;
  return result;
}

}  // namespace headscope

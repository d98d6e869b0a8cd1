#include "core/explain/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/attention/logit_rows.h"
#include "core/attention/output_head.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/explain/stream_parts.h"
#include "core/explain/stream_row.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// UsageError for what cannot be attributed.
void check_model(const ModelTrace& model) {
  if (model.checkpoint == nullptr) {
    throw UsageError("model", model.name + " is a capture, which has no weights behind its attention", "a checkpoint");
  }
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
        places_text(inputs.query_len));
  }
  HEADSCOPE_ASSERT(question.ids.size() == 1 || question.ids.size() == 2, std::to_string(question.ids.size()));
  if (question.loss && question.ids.size() > 1) {
    throw UsageError("token", "found two tokens with --loss, which is of one",
                     "the token that follows, or stands there");
  }
  const std::int64_t vocabulary = model.checkpoint->output_head().decoder.weight.dim(0);
  for (const std::int64_t id : question.ids) {
    if (0 <= id && id < vocabulary) continue;
    throw UsageError("token", fmt::format("{} is not in the vocabulary of {}", id, model.name),
                     fmt::format("ids from 0 to {}", vocabulary - 1));
  }
  check_stream_parts(model);
  const auto layers = static_cast<std::int64_t>(model.layers.size());
  std::int64_t sources = 0;
  for (const ModelStep& step : model_steps(model)) sources += inputs.num_heads * step.attention->inputs->key_len;
  if (question.by == AttributionBy::sources && sources > question.most_sources) {
    throw UsageError("by",
                     fmt::format("found sources, which are {} here: {} layers of {} heads that read {} tokens", sources,
                                 layers, inputs.num_heads, inputs.key_len),
                     fmt::format("heads, or fewer tokens: at most {} sources", question.most_sources));
  }
}

// The decoder as one direction, and what its bias adds.
struct Decoded {
  const Linear decoder;
  const std::vector<float> hidden;  // the row of final_hidden that it reads
  std::vector<double> direction;    // [d_model], of final_hidden
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
void add_token(const Architecture& architecture, double sign, AttributedToken& token, Decoded& decoded) {
  const Linear& decoder = decoded.decoder;
  std::vector<float> row(static_cast<std::size_t>(decoder.weight.dim(1)));
  decoder.weight.read({{token.id, token.id + 1}, {0, decoder.weight.dim(1)}}, row);
  const double bias = decoder.bias.empty() ? 0.0 : static_cast<double>(decoder.bias.at({token.id}));
  const std::vector<double> wide(row.begin(), row.end());
  token.factor = factor_of(architecture, dot(wide, decoded.hidden) + bias);
  decoded.direction.resize(row.size());
  for (std::size_t d = 0; d < row.size(); ++d) decoded.direction[d] += sign * token.factor * wide[d];
  decoded.bias += sign * token.factor * bias;
}

// The loss of the question's token: its direction, its total, and the entropy of the prediction, which is returned.
double add_loss(const ModelTrace& model, const LogitQuestion& question, const std::vector<float>& logits,
                Attribution& result, Decoded& decoded, const CancelToken& cancel) {
  const std::vector<double> logs = log_softmax(logits);
  double entropy = 0;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    if (k % 1024 == 0) cancel.check();
    const double p = std::exp(logs[k]);
    if (p > 0) entropy -= p * logs[k];
    const bool target = static_cast<std::int64_t>(k) == question.ids.front();
    AttributedToken token{static_cast<std::int64_t>(k), static_cast<double>(logits[k]), 1};
    add_token(model.checkpoint->architecture(), p - (target ? 1 : 0), token, decoded);
    if (target) result.tokens.push_back(token);
  }
  result.total = -logs[static_cast<std::size_t>(question.ids.front())];
  return entropy;
}

}  // namespace

Attribution attribution(const ModelTrace& model, const LogitQuestion& question, const CancelToken& cancel) {
  check_model(model);
  check_question(model, question);
  const std::vector<float> logits = logits_at(model, 0, question.position, *model.backend, cancel);
  const OutputHead head = model.checkpoint->output_head();
  Attribution result;
  Decoded decoded{head.decoder, row_at(model.final_hidden, question.position), {}, 0};
  double entropy = 0;
  if (question.loss) entropy = add_loss(model, question, logits, result, decoded, cancel);
  for (std::size_t k = 0; k < question.ids.size() && !question.loss; ++k) {
    const double sign = k == 0 ? 1 : -1;
    const double logit = logits[static_cast<std::size_t>(question.ids[k])];
    result.tokens.push_back({question.ids[k], logit, 1});
    result.total += sign * logit;
    add_token(model.checkpoint->architecture(), sign, result.tokens[k], decoded);
  }
  const StreamRow row = stream_row(model, question.position, cancel);
  std::vector<double>& direction = decoded.direction;
  std::vector<AttributionPart> ends;
  go_before(row_norm_of(model.checkpoint->architecture(), head.final_norm), row.left,
            {"final norm bias", {}, {}, {}, 0}, direction, ends);
  if (!head.decoder.bias.empty()) ends.push_back({"decoder bias", {}, {}, {}, decoded.bias});
  if (question.loss) ends.push_back({"entropy of the prediction", {}, {}, {}, entropy});
  const std::int64_t steps = std::ssize(row.layers);
  result.parts = stream_parts({model, question.position, question.by, row}, steps, direction, cancel);
  result.parts.insert(result.parts.end(), ends.begin(), ends.end());
  for (const AttributionPart& part : result.parts) result.sum += part.value;
  return result;
}

}  // namespace headscope

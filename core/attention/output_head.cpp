#include "core/attention/output_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/attention/logit_rows.h"
#include "core/backend/kernels/softmax.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/stack.h"
#include "core/tensor/parts.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr std::int64_t kLogitsAtOnce = std::int64_t{1} << 20;  // of one block of positions, or one position
const Axes kAxes{Axis::batch, Axis::position, Axis::feature};

const Inputs& inputs_of(const ModelTrace& model) {
  return *model.layers[static_cast<std::size_t>(model.layer)]->inputs;
}

OutputHead head_of(const ModelTrace& model) {
  HEADSCOPE_ASSERT(model.checkpoint != nullptr && !model.final_hidden.empty(), "no final_hidden of " + model.name);
  OutputHead head = model.checkpoint->output_head();
  if (head.kind == OutputHead::Kind::none && model.checkpoint->architecture().part == Architecture::Part::encoder) {
    throw UsageError("predict", fmt::format("the encoder of {} predicts nothing, its decoder does", model.name),
                     "--decoder-phrase or --decoder-ids, with --attention decoder or cross");
  }
  if (head.kind == OutputHead::Kind::none) {
    throw UsageError("predict", fmt::format("{} {}", model.name, model.checkpoint->why_no_head()), "a model with one");
  }
  return head;
}

std::optional<std::int64_t> mask_id(const ModelTrace& model) {
  const auto tokenizer = model.checkpoint->tokenizer();
  return tokenizer == nullptr ? std::nullopt : tokenizer->special().mask;
}

// Rows of final_hidden, with the transform of a masked head: [1, positions, d_model].
Tensor decoder_input(const ModelTrace& model, const OutputHead& head, std::int64_t batch,
                     std::span<const std::int64_t> positions, const Backend& backend, const CancelToken& cancel) {
  const std::int64_t features = model.final_hidden.dim(2);
  Tensor x = Tensor::zeros({1, static_cast<std::int64_t>(positions.size()), features}, kAxes);
  float* to = x.mutable_data();
  for (const std::int64_t i : positions) {
    model.final_hidden.read({{batch, batch + 1}, {i, i + 1}, {0, features}}, {to, static_cast<std::size_t>(features)});
    to += features;
  }
  if (head.transform.empty()) return x;
  const Architecture& architecture = model.checkpoint->architecture();
  Tensor y = backend.linear(x, head.transform.weight, head.transform.bias, cancel);
  activate(architecture.head_activation, {y.mutable_data(), static_cast<std::size_t>(y.size())});
  norm_rows(architecture, head.transform_norm, y, 0, y);
  return y;
}

// Whether a goes before b. NaN goes last: it is no order of its own.
bool goes_before(float a, float b) {
  return a > b || (std::isnan(b) && !std::isnan(a));
}

std::vector<TokenProbability> largest_logits(const float* logits, std::int64_t count, std::int64_t top_n) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  const auto shown = ids.begin() + std::clamp<std::int64_t>(top_n, 0, count);
  std::partial_sort(ids.begin(), shown, ids.end(), [&](std::int64_t a, std::int64_t b) {
    if (goes_before(logits[a], logits[b])) return true;
    return !goes_before(logits[b], logits[a]) && a < b;
  });
  ids.erase(shown, ids.end());
  std::vector<TokenProbability> top;
  top.reserve(ids.size());
  for (const std::int64_t id : ids) top.push_back({id, "", logits[id], 0});
  return top;
}

// The token whose loss belongs to a position.
std::optional<std::int64_t> target_of(const ModelTrace& model, const OutputHead& head, std::int64_t position) {
  const std::vector<std::int64_t>& ids = inputs_of(model).token_ids;
  const auto place = static_cast<std::size_t>(position);
  if (head.kind == OutputHead::Kind::next_token) {
    return place + 1 < ids.size() ? std::optional(ids[place + 1]) : std::nullopt;
  }
  return mask_id(model) == ids[place] ? std::nullopt : std::optional(ids[place]);
}

struct SoftmaxTerms {
  float max;
  double sum;  // of exp(logit - max)
  double probability(double logit) const { return std::exp(logit - static_cast<double>(max)) / sum; }
};

// `logits` hold what follows the vocabulary up to a multiple of kSumLanes, too; they become their exponentials.
SoftmaxTerms softmax_terms(float* logits, std::int64_t count) {
  const std::int64_t padded = rounded_up(count, kSumLanes);
  std::fill(logits + count, logits + padded, -std::numeric_limits<float>::infinity());
  const KeySpans all{{0, count}, {}};
  const float max = largest_cell(logits, all);
  return {max, static_cast<double>(exponentials(logits, all, 1.0F, max))};
}

Prediction prediction_of(float* logits, std::int64_t count, std::int64_t top_n,
                         const std::optional<std::int64_t>& target) {
  Prediction prediction;
  prediction.top = largest_logits(logits, count, top_n);
  const double target_logit = target ? static_cast<double>(logits[*target]) : 0;
  const SoftmaxTerms terms = softmax_terms(logits, count);
  for (TokenProbability& each : prediction.top) each.probability = terms.probability(each.logit);
  if (target) prediction.loss = std::log(terms.sum) + static_cast<double>(terms.max) - target_logit;
  return prediction;
}

// What some models make of logits before their softmax: C tanh(scale logit / C).
void adjust_logits(const Architecture& architecture, std::span<float> logits) {
  const double scale = architecture.logit_scale;
  if (architecture.logit_softcap) {
    const double cap = *architecture.logit_softcap;
    for (float& logit : logits) logit = static_cast<float>(cap * std::tanh(scale * static_cast<double>(logit) / cap));
  } else if (scale != 1) {
    for (float& logit : logits) logit = static_cast<float>(scale * static_cast<double>(logit));
  }
}

// Positions of one item of the batch.
struct Places {
  std::int64_t batch = 0;
  std::span<const std::int64_t> positions;
};

// visit(position, logits, vocabulary) for each of them, in blocks; what softmax_terms() may write behind the logits is
// there.
template <class Visit>
void visit_logits(const ModelTrace& model, const OutputHead& head, const Places& places, const Backend& backend,
                  const CancelToken& cancel, const Visit& visit) {
  const std::span<const std::int64_t> positions = places.positions;
  const std::int64_t vocabulary = head.decoder.weight.dim(0);
  const std::int64_t row = rounded_up(vocabulary, kSumLanes);
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, kLogitsAtOnce / row));
  for (std::size_t first = 0; first < positions.size(); first += at_once) {
    cancel.check();
    const std::span<const std::int64_t> block = positions.subspan(first, std::min(at_once, positions.size() - first));
    for (const std::int64_t i : block) {
      HEADSCOPE_ASSERT(0 <= i && i < model.final_hidden.dim(1), std::to_string(i));
    }
    const Tensor x = decoder_input(model, head, places.batch, block, backend, cancel);
    Tensor padded = Tensor::zeros({1, x.dim(1), row}, kAxes);
    Tensor logits = padded.writable_sliced(2, 0, vocabulary);
    backend.linear_into(x, head.decoder, logits, cancel);
    for (std::size_t k = 0; k < block.size(); ++k) {
      adjust_logits(model.checkpoint->architecture(),
                    {padded.mutable_data() + static_cast<std::int64_t>(k) * row, static_cast<std::size_t>(vocabulary)});
      visit(block[k], padded.mutable_data() + static_cast<std::int64_t>(k) * row, vocabulary);
    }
  }
}

std::vector<double> picked(const float* logits, std::int64_t vocabulary, std::span<const std::int64_t> ids) {
  std::vector<double> result;
  for (const std::int64_t id : ids) {
    HEADSCOPE_ASSERT(0 <= id && id < vocabulary, std::to_string(id));
    result.push_back(static_cast<double>(logits[id]));
  }
  return result;
}

}  // namespace

std::vector<Prediction> predictions(const ModelTrace& model, std::int64_t batch,
                                    std::span<const std::int64_t> positions, std::int64_t top_n, const Backend& backend,
                                    const CancelToken& cancel) {
  const OutputHead head = head_of(model);
  const auto tokenizer = model.checkpoint->tokenizer();
  std::vector<Prediction> result;
  visit_logits(model, head, {batch, positions}, backend, cancel,
               [&](std::int64_t position, float* logits, std::int64_t vocabulary) {
                 result.push_back(prediction_of(logits, vocabulary, top_n, target_of(model, head, position)));
                 result.back().position = position;
                 for (TokenProbability& each : result.back().top) {
                   each.piece = tokenizer == nullptr ? std::to_string(each.id) : tokenizer->piece_of(each.id);
                 }
               });
  return result;
}

std::vector<double> probabilities_of(const ModelTrace& model, std::int64_t batch, std::int64_t position,
                                     std::span<const std::int64_t> ids, const Backend& backend,
                                     const CancelToken& cancel) {
  std::vector<double> result;
  const std::vector<std::int64_t> here = {position};
  visit_logits(model, head_of(model), {batch, here}, backend, cancel,
               [&](std::int64_t, float* logits, std::int64_t vocabulary) {
                 result = picked(logits, vocabulary, ids);
                 const SoftmaxTerms terms = softmax_terms(logits, vocabulary);
                 for (double& each : result) each = terms.probability(each);
               });
  return result;
}

void for_each_logits(const ModelTrace& model, std::int64_t batch, std::span<const std::int64_t> positions,
                     const Backend& backend, const CancelToken& cancel,
                     const std::function<void(std::span<const float> logits)>& visit) {
  visit_logits(model, head_of(model), {batch, positions}, backend, cancel,
               [&](std::int64_t, const float* logits, std::int64_t vocabulary) {
                 visit({logits, static_cast<std::size_t>(vocabulary)});
               });
}

std::vector<float> logits_at(const ModelTrace& model, std::int64_t batch, std::int64_t position, const Backend& backend,
                             const CancelToken& cancel) {
  std::vector<float> result;
  const std::vector<std::int64_t> here = {position};
  visit_logits(
      model, head_of(model), {batch, here}, backend, cancel,
      [&](std::int64_t, const float* logits, std::int64_t vocabulary) { result.assign(logits, logits + vocabulary); });
  return result;
}

void visit_logit_rows(const ModelTrace& model, const Tensor& hidden, const CancelToken& cancel,
                      const std::function<void(std::int64_t row, std::span<const float> logits)>& visit) {
  ModelTrace rows = model;
  rows.final_hidden = hidden;
  std::vector<std::int64_t> all(static_cast<std::size_t>(hidden.dim(1)));
  std::iota(all.begin(), all.end(), 0);
  visit_logits(rows, head_of(rows), {0, all}, *model.backend, cancel,
               [&](std::int64_t row, const float* logits, std::int64_t vocabulary) {
                 visit(row, {logits, static_cast<std::size_t>(vocabulary)});
               });
}

std::optional<std::int64_t> loss_target(const ModelTrace& model, std::int64_t position) {
  return target_of(model, head_of(model), position);
}

std::vector<std::int64_t> predicted_positions(const ModelTrace& model) {
  const OutputHead head = head_of(model);
  const std::vector<std::int64_t>& ids = inputs_of(model).token_ids;
  const auto len = static_cast<std::int64_t>(ids.size());
  if (head.kind == OutputHead::Kind::next_token) return {len - 1};
  std::vector<std::int64_t> positions;
  const std::optional<std::int64_t> mask = mask_id(model);
  for (std::int64_t i = 0; i < len; ++i) {
    if (mask == ids[static_cast<std::size_t>(i)]) positions.push_back(i);
  }
  if (!positions.empty()) return positions;
  positions.resize(ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

PredictionReport prediction_report(const ModelTrace& model, std::int64_t top_n, const CancelToken& cancel) {
  PredictionReport report;
  report.next_token = head_of(model).kind == OutputHead::Kind::next_token;
  report.positions = predictions(model, 0, predicted_positions(model), top_n, *model.backend, cancel);
  std::vector<std::int64_t> all(inputs_of(model).token_ids.size());
  std::iota(all.begin(), all.end(), 0);
  report.token_loss.resize(all.size());
  double sum = 0;
  std::int64_t count = 0;
  for (const Prediction& each : predictions(model, 0, all, 0, *model.backend, cancel)) {
    if (!each.loss) continue;
    report.token_loss[static_cast<std::size_t>(each.position + (report.next_token ? 1 : 0))] = each.loss;
    sum += *each.loss;
    ++count;
  }
  if (count > 0) report.mean_loss = sum / static_cast<double>(count);
  return report;
}

std::vector<double> log_softmax(std::span<const float> logits) {
  const double max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - max);
  std::vector<double> result;
  result.reserve(logits.size());
  for (const float logit : logits) result.push_back(logit - max - std::log(sum));
  return result;
}

}  // namespace headscope

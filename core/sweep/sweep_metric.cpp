#include "core/sweep/sweep_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/attention/logit_rows.h"
#include "core/attention/output_head.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/model/named_token.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr const char* kOption = "metric";
constexpr const char* kExpected =
    "logit:A, logit:A-B, prob:A, loss, kl or cell:[L/]STAGE:B,H,I,J, where A and B are tokens";

std::optional<std::int64_t> token_if_one(const Checkpoint& checkpoint, std::string_view text) {
  try {
    return named_token(checkpoint, kOption, text);
  } catch (const UsageError&) {
    return {};
  }
}

// One token, or two with a dash between them.
std::vector<std::int64_t> one_or_two(const Checkpoint& checkpoint, const std::string& text) {
  std::size_t dashes = 0, last = 0;
  for (std::size_t dash = text.find('-', 1); dash != text.npos && dash + 1 < text.size();
       dash = text.find('-', dash + 1)) {
    ++dashes;
    last = dash;
    const auto a = token_if_one(checkpoint, text.substr(0, dash)), b = token_if_one(checkpoint, text.substr(dash + 1));
    if (a && b) return {*a, *b};
  }
  if (const auto whole = token_if_one(checkpoint, text)) return {*whole};
  // Nothing fits: what is said is about the half that is no token.
  if (dashes != 1) return {named_token(checkpoint, kOption, text)};
  return {named_token(checkpoint, kOption, text.substr(0, last)),
          named_token(checkpoint, kOption, text.substr(last + 1))};
}

LogitSlopes slopes_of_loss(const ModelTrace& model) {
  LogitSlopes slopes;
  const auto len = static_cast<std::int64_t>(model.layers[static_cast<std::size_t>(model.layer)]->query_len());
  for (std::int64_t i = 0; i < len; ++i) {
    if (loss_target(model, i)) slopes.positions.push_back(i);
  }
  const auto count = static_cast<double>(slopes.positions.size());
  slopes.slope = [&model, count](std::int64_t position, std::span<const float> logits, std::span<double> out) {
    const std::vector<double> p = log_softmax(logits);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::exp(p[k]) / count;
    out[static_cast<std::size_t>(*loss_target(model, position))] -= 1 / count;
  };
  return slopes;
}

}  // namespace

SweepMetric parse_sweep_metric(const Checkpoint& checkpoint, const std::string& text) {
  constexpr std::string_view kCell = "cell:";
  if (text == "loss") return {SweepMetric::Kind::loss, {}, {}};
  if (text == "kl") return {SweepMetric::Kind::kl, {}, {}};
  if (text.starts_with(kCell)) return {SweepMetric::Kind::cell, {}, parse_measured_cell(text.substr(kCell.size()))};
  for (const auto& [word, kind] :
       {std::pair{"logit:", SweepMetric::Kind::logit}, {"prob:", SweepMetric::Kind::probability}}) {
    if (!text.starts_with(word) || text.size() == std::string_view(word).size()) continue;
    const std::string tokens = text.substr(std::string_view(word).size());
    if (kind == SweepMetric::Kind::logit) return {kind, one_or_two(checkpoint, tokens), {}};
    return {kind, {named_token(checkpoint, kOption, tokens)}, {}};
  }
  throw UsageError(kOption, fmt::format("found '{}'", text), kExpected);
}

std::vector<double> log_probabilities(const ModelTrace& model, std::int64_t position, const CancelToken& cancel) {
  return log_softmax(logits_at(model, 0, position, *model.backend, cancel));
}

bool is_of_logits(const SweepMetric& metric) {
  return metric.kind == SweepMetric::Kind::logit || metric.kind == SweepMetric::Kind::kl;
}

double metric_of_logits(const SweepMetric& metric, std::span<const float> logits,
                        const std::vector<double>& unpatched) {
  if (metric.kind == SweepMetric::Kind::logit) {
    const auto of = [&](std::size_t k) { return static_cast<double>(logits[static_cast<std::size_t>(metric.ids[k])]); };
    return metric.ids.size() == 1 ? of(0) : of(0) - of(1);
  }
  const std::vector<double> patched = log_softmax(logits);
  double sum = 0;
  for (std::size_t k = 0; k < patched.size(); ++k) {
    const double p = std::exp(patched[k]);
    if (p > 0) sum += p * (patched[k] - unpatched[k]);
    if (std::isnan(patched[k])) sum = patched[k];
  }
  return sum;
}

double sweep_metric_of(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                       const std::vector<double>& unpatched, const CancelToken& cancel) {
  if (metric.kind == SweepMetric::Kind::cell) return measured_value(model, metric.cell.value());
  if (metric.kind == SweepMetric::Kind::probability) {
    return probabilities_of(model, 0, position, metric.ids, *model.backend, cancel).front();
  }
  if (metric.kind == SweepMetric::Kind::loss) {
    const std::optional<double> loss = prediction_report(model, 0, cancel).mean_loss;
    if (!loss) throw UsageError(kOption, "found loss, but no token of this text is predicted", "a longer text");
    return *loss;
  }
  return metric_of_logits(metric, logits_at(model, 0, position, *model.backend, cancel), unpatched);
}

LogitSlopes metric_slopes(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                          const std::vector<double>& unpatched) {
  HEADSCOPE_ASSERT(metric.kind != SweepMetric::Kind::cell, "a cell is not made of logits");
  if (metric.kind == SweepMetric::Kind::loss) return slopes_of_loss(model);
  const auto slope = [metric, &unpatched](std::int64_t, std::span<const float> logits, std::span<double> out) {
    if (metric.kind == SweepMetric::Kind::logit) {
      // Of a token less itself both count.
      out[static_cast<std::size_t>(metric.ids[0])] += 1;
      if (metric.ids.size() == 2) out[static_cast<std::size_t>(metric.ids[1])] -= 1;
      return;
    }
    const std::vector<double> p = log_softmax(logits);
    const bool kl = metric.kind == SweepMetric::Kind::kl;
    const double mean = kl ? metric_of_logits(metric, logits, unpatched) : 0;
    const double of_token = kl ? 0 : std::exp(p[static_cast<std::size_t>(metric.ids[0])]);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = kl ? std::exp(p[k]) * (p[k] - unpatched[k] - mean) : -of_token * std::exp(p[k]);
    }
    if (!kl) out[static_cast<std::size_t>(metric.ids[0])] += of_token;
  };
  return {{position}, slope};
}

std::int64_t metric_position(const Trace& trace, const std::optional<std::int64_t>& given) {
  const std::int64_t len = trace.query_len();
  if (given) {
    const std::int64_t position = counted_from_end(*given, len);
    if (0 <= position && position < len) return position;
    throw UsageError("at", fmt::format("found position {}, but there are {} tokens", *given, len), places_text(len));
  }
  const auto tokenizer = trace.model->checkpoint->tokenizer();
  const std::optional<std::int64_t> mask = tokenizer == nullptr ? std::nullopt : tokenizer->special().mask;
  const std::vector<std::int64_t>& ids = trace.inputs->token_ids;
  const auto found = mask ? std::find(ids.begin(), ids.end(), *mask) : ids.end();
  return found == ids.end() ? len - 1 : found - ids.begin();
}

std::string sweep_metric_text(const Checkpoint& checkpoint, const SweepMetric& metric) {
  const auto token = [&](std::size_t k) {
    return fmt::format("'{}' ({})", token_piece(checkpoint, metric.ids[k]), metric.ids[k]);
  };
  switch (metric.kind) {
    case SweepMetric::Kind::logit:
      return fmt::format("logit of {}{}", token(0), metric.ids.size() == 1 ? "" : " less that of " + token(1));
    case SweepMetric::Kind::probability:
      return "probability of " + token(0);
    case SweepMetric::Kind::loss:
      return "loss, nats a token";
    case SweepMetric::Kind::cell:
      return "cell " + measured_cell_text(metric.cell.value());
    case SweepMetric::Kind::kl:
      break;
  }
  return "divergence from the unpatched run, nats";
}

}  // namespace headscope

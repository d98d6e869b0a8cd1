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
#include "core/sweep/metric_formulas.h"
#include "core/sweep/metric_tokens.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr const char* kOption = "metric";

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
  if (!spells_metric(text)) throw UsageError(kOption, fmt::format("found '{}'", text), metric_expected());
  SweepMetric metric;
  std::string own = text;
  if (text.starts_with(kRecovered)) {
    metric.recovered = true;
    own = text == kRecovered ? "kl:clean" : text.substr(kRecovered.size() + 1);
  }
  const MetricWord& word = *metric_word_of(own);
  metric.kind = word.kind;
  const std::string more = own.substr(word.word.size());
  if (word.kind == MetricKind::cell) {
    metric.cell = parse_measured_cell(more);
  } else if (word.kind == MetricKind::rank) {
    metric.ids = {named_token(checkpoint, kOption, more)};
  } else if (word.more) {
    read_metric_tokens(checkpoint, more, word.kind == MetricKind::probability, metric);
  }
  return metric;
}

void check_slopes(const std::string& option, const SweepMetric& metric, bool own_reference) {
  const MetricWord& word = metric_word(metric.kind);
  std::string name(word.word);
  if (name.ends_with(':')) name.pop_back();
  constexpr const char* kExpected = "logit:A, logit:A-B, prob:A or loss";
  if (*word.no_slope != '\0') {
    throw UsageError(option, fmt::format("found the metric {}, {}", name, word.no_slope), kExpected);
  }
  if (word.against == MetricReference::none || !own_reference) return;
  throw UsageError(
      option, fmt::format("found the metric {}, whose slope is 0 at the run that it is held against", name), kExpected);
}

std::vector<double> log_probabilities(const ModelTrace& model, std::int64_t position, const CancelToken& cancel) {
  return log_softmax(logits_at(model, 0, position, *model.backend, cancel));
}

bool is_of_logits(const SweepMetric& metric) {
  const MetricFormula* formula = metric_formula(metric.kind);
  return formula != nullptr && formula->value != nullptr;
}

double metric_of_logits(const SweepMetric& metric, std::span<const float> logits,
                        const std::vector<double>& reference) {
  HEADSCOPE_ASSERT(is_of_logits(metric), std::string(metric_word(metric.kind).word));
  return metric_formula(metric.kind)->value(metric, logits, reference);
}

namespace {

double probability_of(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                      const CancelToken& cancel) {
  const std::vector<double> each = probabilities_of(model, 0, position, metric.ids, *model.backend, cancel);
  double sum = 0;
  for (std::size_t k = 0; k < each.size(); ++k) sum += k < metric.added ? each[k] : -each[k];
  return sum;
}

}  // namespace

double sweep_metric_of(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                       const std::vector<double>& reference, const CancelToken& cancel) {
  if (metric.kind == MetricKind::cell) return measured_value(model, metric.cell.value());
  if (metric.kind == MetricKind::probability) return probability_of(model, metric, position, cancel);
  if (metric.kind == MetricKind::loss) {
    const std::optional<double> loss = prediction_report(model, 0, cancel).mean_loss;
    if (!loss) throw UsageError(kOption, "found loss, but no token of this text is predicted", "a longer text");
    return *loss;
  }
  return metric_of_logits(metric, logits_at(model, 0, position, *model.backend, cancel), reference);
}

LogitSlopes metric_slopes(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                          const std::vector<double>& reference) {
  if (metric.kind == MetricKind::loss) return slopes_of_loss(model);
  const MetricFormula* formula = metric_formula(metric.kind);
  HEADSCOPE_ASSERT(formula != nullptr && formula->slope != nullptr, std::string(metric_word(metric.kind).word));
  return {{position}, [metric, reference, formula](std::int64_t, std::span<const float> logits, std::span<double> out) {
            formula->slope(metric, logits, reference, out);
          }};
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

namespace {

// "'box' (6), 'ink' (28)"
std::string tokens_text(const Checkpoint& checkpoint, std::span<const std::int64_t> ids) {
  std::string text;
  for (const std::int64_t id : ids) {
    text += fmt::format("{}'{}' ({})", text.empty() ? "" : ", ", token_piece(checkpoint, id), id);
  }
  return text;
}

std::string own_text(const Checkpoint& checkpoint, const SweepMetric& metric) {
  const std::span ids(metric.ids);
  const auto of_tokens = [&](const std::string& one, const std::string& several) {
    const std::string added = tokens_text(checkpoint, ids.first(std::min(metric.added, ids.size())));
    const std::string text = fmt::format("{} of {}", metric.added == 1 ? one : several, added);
    if (metric.added >= ids.size()) return text;
    const std::string less = tokens_text(checkpoint, ids.subspan(metric.added));
    return text + fmt::format(" less that of {}", less);
  };
  switch (metric.kind) {
    case MetricKind::logit:
      return of_tokens("logit", "mean logit");
    case MetricKind::probability:
      return of_tokens("probability", "summed probability");
    case MetricKind::rank:
      return of_tokens("rank", "rank");
    case MetricKind::loss:
      return "loss, nats a token";
    case MetricKind::cell:
      return "cell " + measured_cell_text(metric.cell.value());
    case MetricKind::kl_clean:
      return "KL(clean || patched), nats";
    case MetricKind::kl_patched:
      return "KL(patched || clean), nats";
    case MetricKind::kl:
      break;
  }
  return "divergence from the unpatched run, nats";
}

}  // namespace

std::string sweep_metric_text(const Checkpoint& checkpoint, const SweepMetric& metric) {
  const std::string own = own_text(checkpoint, metric);
  return metric.recovered ? fmt::format("share recovered (0 corrupt, 1 clean) of the {}", own) : own;
}

}  // namespace headscope

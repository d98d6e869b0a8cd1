#include "app/ui/where_from.h"

#include <fmt/format.h>

#include <cmath>

#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

struct Place {
  const Trace& trace;
  std::int64_t batch, head;
  Cell cell;

  double value(StageId stage) const {
    return static_cast<double>(trace.tensor(stage).at({batch, head, cell.row, cell.column}));
  }
  bool hidden() const { return trace.mask->hidden.hidden(batch, head, cell.row, cell.column); }
  double added() const {
    const Tensor& values = trace.mask->added;
    if (values.empty()) return 0;
    return static_cast<double>(
        values.at({values.dim(0) == 1 ? 0 : batch, values.dim(1) == 1 ? 0 : head, cell.row, cell.column}));
  }
  double row_statistic(const Tensor& tensor) const { return static_cast<double>(tensor.at({batch, head, cell.row})); }
};

WhereStep plain(std::string name, std::string expression, double value) {
  return {std::move(name), {{std::move(expression), TextRole::plain}}, value};
}

// "÷ √64" or "× 0.2": how trace.scale is spelled.
std::string scaling(const Trace& trace) {
  const double root = 1.0 / (trace.scale * trace.scale);
  if (!trace.request.scale && std::abs(root - std::round(root)) < 1e-6 * root) return fmt::format("/ √{:.0f}", root);
  return "× " + step_number(trace.scale);
}

std::string sum_of(double score, double added) {
  if (added < 0) return step_number(score) + " \u2212 " + step_number(-added);
  return step_number(score) + " + " + (added == 0 ? std::string("0") : step_number(added));
}

void add_scores(const Place& place, std::vector<WhereStep>& steps) {
  const Trace& trace = place.trace;
  const Request& request = trace.request;
  const double raw = place.value(StageId::raw_scores);
  const Stage& scores = *trace.find(StageId::scores);
  const bool masked_here =
      request.mask_order == MaskOrder::before_scale && trace.find(StageId::masked_scores) != nullptr &&
      trace.find(StageId::masked_scores)->equals_previous && !has_variant(request, Variant::mask_after_softmax);
  const double value = place.value(StageId::scores);
  if (masked_here && place.hidden()) {
    steps.push_back(
        plain("scores", fmt::format("hidden: {} {}", step_number(request.mask_fill), scaling(trace)), value));
  } else if (masked_here && place.added() != 0) {
    steps.push_back(plain("scores", fmt::format("({}) {}", sum_of(raw, place.added()), scaling(trace)), value));
  } else if (trace.scale == 1.0 || scores.equals_previous) {
    steps.push_back(plain("scores", "not scaled", value));
  } else {
    steps.push_back(plain("scores", step_number(raw) + " " + scaling(trace), value));
  }
}

void add_masked(const Place& place, StageId before, std::vector<WhereStep>& steps) {
  const Request& request = place.trace.request;
  const Stage& masked = *place.trace.find(StageId::masked_scores);
  const double value = place.value(StageId::masked_scores);
  if (masked.equals_previous) {
    steps.push_back(plain("masked_scores", masked.operation, value));
  } else if (place.hidden() && !has_variant(request, Variant::mask_after_softmax)) {
    steps.push_back(plain("masked_scores", "hidden: " + step_number(request.mask_fill), value));
  } else {
    steps.push_back(plain("masked_scores", sum_of(place.value(before), place.added()), value));
  }
}

void add_softmax(const Place& place, std::vector<WhereStep>& steps) {
  const Trace& trace = place.trace;
  const Request& request = trace.request;
  const double weight = place.value(StageId::weights);
  if (trace.row_statistics.max.empty() || trace.row_statistics.sum.empty()) {
    steps.push_back(
        plain("weights", "softmax along the queries of column " + std::to_string(place.cell.column), weight));
    return;
  }
  const double masked = place.value(StageId::masked_scores);
  const double maximum = place.row_statistic(trace.row_statistics.max);
  const double sum = place.row_statistic(trace.row_statistics.sum);
  const double difference = masked - maximum;
  const double power = std::exp(difference);
  steps.push_back(
      plain("\u2212 row maximum",
            step_number(masked) + " \u2212 " + (maximum < 0 ? "(" + step_number(maximum) + ")" : step_number(maximum)),
            difference));
  steps.push_back(plain("exp", "exp(" + step_number(difference) + ")", power));
  const bool policy = request.fully_masked != FullyMasked::as_computed &&
                      trace.mask->hidden.all_hidden(place.batch, place.head, place.cell.row);
  const bool cleared = has_variant(request, Variant::mask_after_softmax) && place.hidden();
  steps.push_back(
      plain("÷ row sum", step_number(power) + " / " + step_number(sum), policy || cleared ? power / sum : weight));
  if (cleared) steps.push_back(plain("mask", "hidden after softmax: 0", weight));
  if (policy) {
    steps.push_back(plain(
        "fully masked",
        request.fully_masked == FullyMasked::zero ? "every key hidden: 0" : "every key hidden: 1 / key_len", weight));
  }
}

}  // namespace

std::string step_number(double value) {
  const double size = std::abs(value);
  if (std::isfinite(value) && size != 0 && (size < 1e-3 || size >= 1e6)) return number_label(value, 3, size < 1e-3);
  return number_label(value, 4);
}

std::vector<WhereStep> where_from(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t head, Cell cell,
                                  const std::string& query_token, const std::string& key_token) {
  std::vector<WhereStep> steps;
  const Place place{trace, batch, head, cell};
  const auto done = [&](StageId step) { return step == stage; };
  steps.push_back({"raw_scores",
                   {{"query[" + query_token + "]", TextRole::query},
                    {" · ", TextRole::plain},
                    {"key[" + key_token + "]", TextRole::key}},
                   place.value(StageId::raw_scores)});
  if (done(StageId::raw_scores)) return steps;
  add_scores(place, steps);
  if (done(StageId::scores)) return steps;
  StageId before = StageId::scores;
  if (trace.find(StageId::capped_scores) != nullptr) {
    const double softcap = trace.request.softcap.value_or(1);
    steps.push_back(plain("capped_scores",
                          fmt::format("{0} · tanh({1} / {0})", step_number(softcap), step_number(place.value(before))),
                          place.value(StageId::capped_scores)));
    before = StageId::capped_scores;
    if (done(StageId::capped_scores)) return steps;
  }
  add_masked(place, before, steps);
  if (done(StageId::masked_scores)) return steps;
  add_softmax(place, steps);
  if (done(StageId::weights) || trace.find(StageId::dropped_weights) == nullptr) return steps;
  const double weight = place.value(StageId::weights);
  const double dropped = place.value(StageId::dropped_weights);
  steps.push_back(plain("dropout",
                        dropped == 0 && weight != 0
                            ? std::string("dropped: 0")
                            : fmt::format("{} / (1 \u2212 {})", step_number(weight), trace.request.dropout),
                        dropped));
  return steps;
}

}  // namespace headscope::ui

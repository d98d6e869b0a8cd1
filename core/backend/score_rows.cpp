#include "core/backend/score_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/backend/score_steps.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kSpanStep = 32;  // what begins of spans are rounded down to

// The fill, rounded to float, as masked_scores holds it: multiplied too when masking comes before scaling.
float hidden_score_of(const ScoreRule& rule) {
  if (rule.mask_fill < -static_cast<double>(std::numeric_limits<float>::max())) return -kInfinity;
  const auto fill = static_cast<float>(rule.mask_fill);
  if (fill == -kInfinity || rule.mask_order == MaskOrder::after_scale) return fill;
  return static_cast<float>(fill * rule.scale);
}

// Takes a run of keys into at most two spans, which may then hold more than the runs.
void unite(KeySpans& spans, KeySpan run) {
  const auto touch = [](const KeySpan& a, const KeySpan& b) { return a.begin <= b.end && b.begin <= a.end; };
  const auto joined = [](const KeySpan& a, const KeySpan& b) {
    return KeySpan{std::min(a.begin, b.begin), std::max(a.end, b.end)};
  };
  if (spans.first.size() == 0) {
    spans.first = run;
  } else if (touch(spans.first, run)) {
    spans.first = joined(spans.first, run);
  } else if (spans.second.size() == 0) {
    spans.second = run;
  } else if (touch(spans.second, run) || run.begin > spans.first.end) {
    spans.second = joined(spans.second, run);
  } else {
    spans.first = joined(spans.first, run);
  }
  if (spans.second.size() == 0) return;
  if (spans.second.begin < spans.first.begin) std::swap(spans.first, spans.second);
  if (touch(spans.first, spans.second)) spans = {joined(spans.first, spans.second), {}};
}

}  // namespace

KeySpans whole_row(std::int64_t key_len) {
  return {{0, key_len}, {}};
}

ScoreRows::ScoreRows(const ScoreRule& rule)
    : rule_(&rule),
      key_len_(rule.mask->hidden.key_len()),
      hides_(!rule.mask_after_softmax && rule.mask->hidden.any()),
      hidden_score_(hidden_score_of(rule)) {
  const auto single = static_cast<float>(rule.scale);
  const bool exact = single == rule.scale && 0.0F < single && single < kInfinity;
  const bool plain = !rule.softcap && rule.mask->added.empty() && (!hides_ || hidden_score_ == -kInfinity);
  if (exact && plain) factor_ = single;
}

void ScoreRows::apply(StageId stage, std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const {
  if (stage == StageId::raw_scores) return;
  const std::int64_t count = keys.size();
  const bool masks = rule_->masks();
  const bool mask_first = masks && rule_->mask_order == MaskOrder::before_scale;
  if (mask_first) add(b, h, i, keys, cells);
  if (rule_->scale != 1.0) scale_cells(cells, count, rule_->scale);
  if (mask_first) hide(b, h, i, keys, cells);
  if (mask_first || stage == StageId::scores) return;
  const bool caps_added = rule_->caps_added();
  if (caps_added) add(b, h, i, keys, cells);
  if (rule_->softcap) {
    const double softcap = *rule_->softcap;
    for (float* x = cells; x < cells + count; ++x) *x = static_cast<float>(softcap * std::tanh(*x / softcap));
  }
  if (stage == StageId::capped_scores || !masks) return;
  if (!caps_added) add(b, h, i, keys, cells);
  hide(b, h, i, keys, cells);
}

void ScoreRows::hide(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const {
  if (hides_) set_hidden(b, h, i, keys, hidden_score_, cells);
}

void ScoreRows::clear_hidden(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const {
  if (rule_->mask_after_softmax && rule_->mask->hidden.any()) set_hidden(b, h, i, keys, 0.0F, cells);
}

void ScoreRows::set_hidden(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float value,
                           float* cells) const {
  const HiddenCells& hidden = rule_->mask->hidden;
  if (const std::optional<VisibleKeys> visible = hidden.visible_keys(b, h, i)) {
    std::int64_t done = keys.begin;
    for (const Range& run : {visible->first, visible->second}) {
      if (run.size() == 0) continue;
      const std::int64_t stop = std::clamp(run.begin, done, keys.end);
      std::fill(cells + done - keys.begin, cells + stop - keys.begin, value);
      done = std::clamp(run.end, stop, keys.end);
    }
    std::fill(cells + done - keys.begin, cells + keys.size(), value);
    return;
  }
  constexpr std::int64_t kAtOnce = 512;
  std::uint8_t bytes[kAtOnce];
  for (std::int64_t first = keys.begin; first < keys.end; first += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, keys.end - first);
    hidden.read_row(b, h, i, std::span<std::uint8_t>(bytes, static_cast<std::size_t>(count)), first);
    float* part = cells + first - keys.begin;
    for (std::int64_t j = 0; j < count; ++j) part[j] = bytes[j] != 0 ? value : part[j];
  }
}

void ScoreRows::add(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const {
  const Tensor& added = rule_->mask->added;
  if (added.empty()) return;
  const std::int64_t batch = added.dim(0) == 1 ? 0 : b;
  const std::int64_t head = added.dim(1) == 1 ? 0 : h;
  const float* row = added.data() + ((batch * added.dim(1) + head) * added.dim(2) + i) * added.dim(3) + keys.begin;
  for (std::int64_t j = 0; j < keys.size(); ++j) cells[j] += row[j];
}

KeySpans ScoreRows::spans(std::int64_t b, std::int64_t h, Range queries) const {
  if (!hides_) return whole_row(key_len_);
  KeySpans result;
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    const std::optional<VisibleKeys> visible = rule_->mask->hidden.visible_keys(b, h, i);
    if (!visible) return whole_row(key_len_);
    for (const Range& run : {visible->first, visible->second}) {
      if (run.size() > 0) unite(result, {run.begin / kSpanStep * kSpanStep, run.end});
    }
  }
  return result;
}

std::optional<float> ScoreRows::weight_when_hidden(std::int64_t b, std::int64_t h, std::int64_t i) const {
  if (rule_->fully_masked == FullyMasked::as_computed || !rule_->mask->hidden.any()) return {};
  if (!rule_->mask->hidden.all_hidden(b, h, i)) return {};
  return rule_->fully_masked == FullyMasked::zero ? 0.0F : 1.0F / static_cast<float>(key_len_);
}

float ScoreRows::sink(std::int64_t h) const {
  const Tensor& sinks = rule_->sinks;
  return sinks.empty() ? -kInfinity : sinks.data()[h * sinks.strides()[0]];
}

void ScoreRows::drop(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const {
  const double p = rule_->dropout;
  const float gain = dropout_gain(p);
  const Tensor& mask = rule_->dropout_mask;
  if (mask.empty()) {
    const DropoutDraw draw(rule_->dropout_seed, b, h, i);
    for (std::int64_t j = keys.begin; j < keys.end; ++j) cells[j - keys.begin] *= draw.at(j) >= p ? gain : 0.0F;
    return;
  }
  // The mask broadcasts: an axis of size 1, or one that it does not have, stands for all.
  const std::int64_t place[4] = {b, h, i, 0};
  const float* kept = mask.data();
  std::int64_t step = 0;
  for (int axis = 0; axis < mask.rank(); ++axis) {
    if (mask.dim(axis) == 1) continue;
    const int to = 4 - mask.rank() + axis;
    kept += place[to] * mask.strides()[axis];
    if (to == 3) step = mask.strides()[axis];
  }
  for (std::int64_t j = keys.begin; j < keys.end; ++j) cells[j - keys.begin] *= kept[j * step] != 0.0F ? gain : 0.0F;
}

}  // namespace headscope

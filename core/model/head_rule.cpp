#include "core/model/head_rule.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr std::int64_t kFirstRows = 256;

std::shared_ptr<const RotaryTable::Rows> made_rows(const RotaryRule& rule, std::int64_t count) {
  const auto rows = std::make_shared<RotaryTable::Rows>();
  rows->count = count;
  const std::size_t pairs = rule.inverse_frequencies.size();
  rows->cosine.reserve(static_cast<std::size_t>(count) * pairs);
  rows->sine.reserve(static_cast<std::size_t>(count) * pairs);
  for (std::int64_t position = 0; position < count; ++position) {
    for (const double frequency : rule.inverse_frequencies) {
      const double angle = static_cast<float>(position) * static_cast<float>(frequency);
      rows->cosine.push_back(static_cast<float>(rule.factor * std::cos(angle)));
      rows->sine.push_back(static_cast<float>(rule.factor * std::sin(angle)));
    }
  }
  return rows;
}

// Heads of one position that are normalised together.
struct Together {
  float* x;
  std::int64_t heads, step, features;  // the heads lie `step` numbers apart
};

double sum_of(const Together& all) {
  double sum = 0;
  for (std::int64_t h = 0; h < all.heads; ++h) {
    for (std::int64_t d = 0; d < all.features; ++d) sum += static_cast<double>(all.x[h * all.step + d]);
  }
  return sum;
}

double squares_of(const Together& all, double mean) {
  double squares = 0;
  for (std::int64_t h = 0; h < all.heads; ++h) {
    const float* x = all.x + h * all.step;
    for (std::int64_t d = 0; d < all.features; ++d) {
      const double centred = static_cast<double>(x[d]) - mean;
      squares += centred * centred;
    }
  }
  return squares;
}

// In place; `weight` has a number for every feature of every head.
void normalise(const Together& all, const float* weight, const HeadRule& rule) {
  const auto count = static_cast<double>(all.heads * all.features);
  const double mean = rule.norm_centred ? sum_of(all) / count : 0.0;
  const auto factor = static_cast<float>(1.0 / std::sqrt(squares_of(all, mean) / count + rule.norm_eps));
  const auto centre = static_cast<float>(mean);
  const float offset = rule.norm_plus_one ? 1.0F : 0.0F;
  for (std::int64_t h = 0; h < all.heads; ++h) {
    float* x = all.x + h * all.step;
    const float* own = weight + h * all.features;
    for (std::int64_t d = 0; d < all.features; ++d) x[d] = (x[d] - centre) * factor * (offset + own[d]);
  }
}

void hold(const Together& all, const HeadRule& rule) {
  const auto bound = static_cast<float>(rule.clip);
  for (std::int64_t h = 0; h < all.heads; ++h) {
    float* x = all.x + h * all.step;
    for (std::int64_t d = 0; d < all.features; ++d) x[d] = std::clamp(x[d], -bound, bound);
  }
}

void turn(float* x, const float* cosine, const float* sine, const RotaryRule& rule) {
  const std::int64_t pairs = rule.features / 2;
  const bool halves = rule.pairs == RotaryRule::Pairs::halves;
  const std::int64_t step = halves ? 1 : 2, apart = halves ? pairs : 1;
  x += rule.begin;
  for (std::int64_t p = 0; p < pairs; ++p) {
    float& a = x[p * step];
    float& b = x[p * step + apart];
    const float turned = a * cosine[p] - b * sine[p];
    b = b * cosine[p] + a * sine[p];
    a = turned;
  }
}

}  // namespace

RotaryTable::RotaryTable(RotaryRule rule) : rule_(std::move(rule)) {
  HEADSCOPE_ASSERT(rule_.features == 2 * static_cast<std::int64_t>(rule_.inverse_frequencies.size()),
                   std::to_string(rule_.inverse_frequencies.size()) + " frequencies for " +
                       std::to_string(rule_.features) + " features");
}

std::shared_ptr<const RotaryTable::Rows> RotaryTable::rows(std::int64_t positions) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (rows_ == nullptr || rows_->count < positions) {
    const std::int64_t known = rows_ == nullptr ? kFirstRows : 2 * rows_->count;
    rows_ = made_rows(rule_, std::max(known, positions));
  }
  return rows_;
}

HeadRule head_rule_of_model(const Architecture& architecture, Tensor query_norm, Tensor key_norm,
                            std::shared_ptr<const RotaryTable> rotary) {
  HeadRule rule;
  rule.query_norm = std::move(query_norm);
  rule.key_norm = std::move(key_norm);
  rule.norm_eps = architecture.head_norm_eps;
  rule.norm_plus_one = architecture.norm_plus_one;
  rule.norm_whole = architecture.head_norm_whole;
  rule.norm_own = architecture.head_norm_own;
  rule.norm_centred = architecture.head_norm_kind == Architecture::Norm::layer;
  rule.rotary = std::move(rotary);
  rule.clip = architecture.qkv_clip;
  return rule;
}

HeadRule HeadRule::of_values() const {
  HeadRule rule;
  rule.clip = clip;
  return rule;
}

double HeadRule::held(double value) const {
  return clip > 0 ? std::clamp(value, -clip, clip) : value;
}

FeatureTurn feature_turn(const HeadRule& rule, std::int64_t feature, std::int64_t position) {
  if (rule.rotary == nullptr) return {};
  const RotaryRule& turns = rule.rotary->rule();
  const std::int64_t turned = feature - turns.begin;
  if (turned < 0 || turned >= turns.features) return {};
  const std::int64_t pairs = turns.features / 2;
  const bool halves = turns.pairs == RotaryRule::Pairs::halves;
  const std::int64_t pair = halves ? turned % pairs : turned / 2;
  const bool first = halves ? turned < pairs : turned % 2 == 0;
  const std::int64_t apart = halves ? pairs : 1;
  const auto rows = rule.rotary->rows(position + 1);
  const auto at = static_cast<std::size_t>(position * pairs + pair);
  const double sine = static_cast<double>(rows->sine[at]);
  return {first ? feature + apart : feature - apart, static_cast<double>(rows->cosine[at]), first ? -sine : sine};
}

void turn_heads(const HeadRule& rule, const Tensor& norm, const Tensor& heads, std::int64_t begin, std::int64_t end,
                Tensor& to) {
  const std::int64_t features = heads.dim(3), count = heads.dim(1);
  const std::int64_t normed = rule.norm_whole || rule.norm_own ? count * features : features;
  HEADSCOPE_ASSERT(to.shape() == heads.shape() && to.strides()[3] == 1 && (norm.empty() || norm.size() == normed) &&
                       (rule.rotary == nullptr || rule.rotary->rule().begin + rule.rotary->rule().features <= features),
                   to_string(heads.shape()) + " to " + to_string(to.shape()));
  const std::vector<float> weight = norm.values();
  const std::shared_ptr<const RotaryTable::Rows> turns = rule.rotary == nullptr ? nullptr : rule.rotary->rows(end);
  const Strides& steps = to.strides();
  for (std::int64_t b = 0; b < heads.dim(0); ++b) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* rows = to.mutable_data() + b * steps[0] + i * steps[2];
      for (std::int64_t h = 0; h < count; ++h) {
        heads.read({{b, b + 1}, {h, h + 1}, {i, i + 1}, {0, features}},
                   std::span<float>(rows + h * steps[1], static_cast<std::size_t>(features)));
      }
      const Together all{rows, count, steps[1], features};
      if (rule.clip > 0) hold(all, rule);
      if (!weight.empty() && rule.norm_whole) normalise(all, weight.data(), rule);
      for (std::int64_t h = 0; h < count; ++h) {
        float* x = rows + h * steps[1];
        if (!weight.empty() && !rule.norm_whole) {
          normalise({x, 1, 0, features}, weight.data() + (rule.norm_own ? h * features : 0), rule);
        }
        if (turns == nullptr) continue;
        const std::int64_t row = i * (rule.rotary->rule().features / 2);
        turn(x, turns->cosine.data() + row, turns->sine.data() + row, rule.rotary->rule());
      }
    }
  }
}

Tensor joined_heads(const Tensor& first, const Tensor& second) {
  HEADSCOPE_ASSERT(first.dim(0) == second.dim(0) && first.dim(1) == second.dim(1) && first.dim(3) == second.dim(3),
                   to_string(first.shape()) + " and " + to_string(second.shape()));
  Tensor all = Tensor::zeros({first.dim(0), first.dim(1), first.dim(2) + second.dim(2), first.dim(3)}, second.axes());
  float* to = all.mutable_data();
  for (std::int64_t b = 0; b < all.dim(0); ++b) {
    for (std::int64_t h = 0; h < all.dim(1); ++h) {
      for (const Tensor* part : {&first, &second}) {
        const auto count = static_cast<std::size_t>(part->dim(2) * part->dim(3));
        part->read({{b, b + 1}, {h, h + 1}, {0, part->dim(2)}, {0, part->dim(3)}}, std::span<float>(to, count));
        to += count;
      }
    }
  }
  return all;
}

}  // namespace headscope

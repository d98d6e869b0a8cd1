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

double squares_of(const float* x, std::int64_t features) {
  double squares = 0;
  for (std::int64_t d = 0; d < features; ++d) squares += static_cast<double>(x[d]) * x[d];
  return squares;
}

// `squares` is the sum over `count` features that are normalised together.
float norm_factor(double squares, std::int64_t count, const HeadRule& rule) {
  return static_cast<float>(1.0 / std::sqrt(squares / static_cast<double>(count) + rule.norm_eps));
}

// One head of one position, in place.
void normalise(float* x, const float* weight, std::int64_t features, float factor, const HeadRule& rule) {
  const float offset = rule.norm_plus_one ? 1.0F : 0.0F;
  for (std::int64_t d = 0; d < features; ++d) x[d] = x[d] * factor * (offset + weight[d]);
}

// All heads of one position, `step` numbers apart.
void normalise_whole(float* x, std::int64_t heads, std::int64_t step, const std::vector<float>& weight,
                     const HeadRule& rule) {
  const auto count = static_cast<std::int64_t>(weight.size());
  const std::int64_t features = count / heads;
  double squares = 0;
  for (std::int64_t h = 0; h < heads; ++h) squares += squares_of(x + h * step, features);
  const float factor = norm_factor(squares, count, rule);
  for (std::int64_t h = 0; h < heads; ++h)
    normalise(x + h * step, weight.data() + h * features, features, factor, rule);
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
  const std::int64_t normed = rule.norm_whole ? count * features : features;
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
      if (!weight.empty() && rule.norm_whole) normalise_whole(rows, count, steps[1], weight, rule);
      for (std::int64_t h = 0; h < count; ++h) {
        float* x = rows + h * steps[1];
        if (!weight.empty() && !rule.norm_whole) {
          normalise(x, weight.data(), features, norm_factor(squares_of(x, features), features, rule), rule);
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

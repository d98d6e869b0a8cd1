// 'Scores of this head': every metric as a tick among the ticks of all heads, its value and its rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/layers/layers_panel.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 28, kTitle = 34, kFoot = 24;

struct Score {
  HeadMetric metric{};
  double value = 0;
  std::int64_t rank = 1;       // 1: the largest of all heads; those whose numbers read alike share it
  std::vector<double> others;  // of all heads that have one
  double low = 0, high = 1;    // of the axis
};

constexpr int kDecimals = 3;

// A value as it is written: what reads alike is of one rank.
double written(double value) {
  const double unit = std::pow(10.0, kDecimals);
  return std::round(value * unit) / unit;
}

// What the picked head has, except `uniform`, which is the entropy once more.
std::vector<Score> scores_of(const LayersShown& shown) {
  std::vector<Score> scores;
  const HeadResult* own = shown.head_result(shown.layer, shown.head);
  if (own == nullptr) return scores;
  for (const HeadMetric metric : all_head_metrics()) {
    if (metric == HeadMetric::uniform || own->metrics[metric].rows == 0) continue;
    Score score;
    score.metric = metric;
    score.value = own->metrics[metric].value;
    for (std::int64_t l = 0; l < shown.layers; ++l) {
      for (std::int64_t h = 0; h < shown.heads; ++h) {
        const HeadResult* head = shown.head_result(l, h);
        if (head == nullptr || head->metrics[metric].rows == 0) continue;
        const double value = head->metrics[metric].value;
        score.others.push_back(value);
        if (!is_share(metric)) score.high = std::max(score.high, value);
      }
    }
    score.rank = shared_rank(score.value, score.others);
    scores.push_back(std::move(score));
  }
  return scores;
}

void draw_score(Ui& ui, const Score& score, const Rect& line) {
  const std::string name = "layers/score/" + std::string(metric_key(score.metric));
  const std::string tip(metric_formula(score.metric));
  interact_mouse(ui, name, line, {true, false, tip.c_str()}, false);
  Rect rest = line;
  text_in(ui, take_left(rest, ui.px(132), ui.px(6)), Type::words12, ui.colors.text2, metric_name(score.metric));
  text_in(ui, take_right(rest, ui.px(30), ui.px(8)), Type::mono12, ui.colors.text2, std::to_string(score.rank), 1);
  text_in(ui, take_right(rest, ui.px(52), ui.px(8)), Type::mono_bold12, ui.colors.text,
          number_label(score.value, kDecimals), 1);
  const float middle = std::round(rest.center().y);
  const Rect axis{{rest.min.x, middle - ui.px(6)}, {rest.max.x, middle + ui.px(6)}};
  fill(axis, ui.colors.well);
  if (axis.width() < ui.px(8)) return;
  const auto x_of = [&](double value) {
    const double share = std::clamp((value - score.low) / (score.high - score.low), 0.0, 1.0);
    return std::round(axis.min.x + static_cast<float>(share) * (axis.width() - ui.px(2)));
  };
  for (const double other : score.others) {
    const float x = x_of(other);
    fill({{x, middle - ui.px(3)}, {x + ui.px(1), middle + ui.px(3)}}, ui.colors.text3);
  }
  const float x = x_of(score.value);
  fill({{x, axis.min.y - ui.px(2)}, {x + ui.px(2), axis.max.y + ui.px(2)}}, ui.colors.accent);
}

}  // namespace

std::int64_t shared_rank(double value, const std::vector<double>& all) {
  const auto larger = [&](double other) { return written(other) > written(value); };
  return 1 + std::count_if(all.begin(), all.end(), larger);
}

float layers_scores_height(const Ui& ui, const LayersShown& shown) {
  return ui.px(kTitle) + static_cast<float>(scores_of(shown).size()) * ui.px(kRow) + ui.px(kFoot);
}

void draw_layers_scores(Ui& ui, const LayersShown& shown, const Rect& area) {
  const std::vector<Score> scores = scores_of(shown);
  const float content = layers_scores_height(ui, shown);
  const ScrollArea scroll = begin_scroll(ui, "layers/scores", area, content > area.height() ? content : 0);
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  float y = area.min.y - scroll.offset;
  const Rect title{{left, y + ui.px(6)}, {right, y + ui.px(kTitle)}};
  text_in(ui, title, Type::title12, ui.colors.text, "Scores of this head");
  text_in(ui, title, Type::words12, ui.colors.text2,
          scores.empty() ? "…" : fmt::format("rank of {}", shown.all_heads()), 1);
  y += ui.px(kTitle);
  for (const Score& score : scores) {
    draw_score(ui, score, {{left, y}, {right, y + ui.px(kRow)}});
    y += ui.px(kRow);
  }
  const std::string ticks = fmt::format("Ticks: all {} heads; rank 1 is the largest.", shown.all_heads());
  text_in(
      ui, {{left, y}, {right, y + ui.px(kFoot)}}, Type::words11, ui.colors.text3,
      fitting_words(ui, Type::words11, right - left, {ticks + " Formula on hover.", ticks, "Rank 1: the largest."}));
  end_scroll(ui);
}

}  // namespace headscope::ui

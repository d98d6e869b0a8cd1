// One head over the corpus: its histograms beside the mean of all heads, its means with their ranks, heads like it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kHistogram = 52, kTitle = 20, kTicks = 18, kGap = 8, kScore = 20, kSection = 30, kChip = 26,
                kChipGap = 6;
constexpr int kMostChipsARow = 4;

// The bins that hold something, of this head or of any.
std::size_t shown_bins(std::span<const double> own, std::span<const double> all) {
  std::size_t bins = own.size();
  while (bins > 1 && !(own[bins - 1] > 0) && (all.empty() || !(all[bins - 1] > 0))) --bins;
  return bins;
}

void draw_bars(Ui& ui, const Rect& plot, std::span<const double> own, std::span<const double> all) {
  const std::size_t bins = shown_bins(own, all);
  const double tallest = tallest_bin(own, all);
  fill(plot, ui.colors.well);
  if (!(tallest > 0)) return;
  const float room = plot.height() - ui.px(4);
  const auto edge = [&](std::size_t k) {
    return std::round(plot.min.x + plot.width() * static_cast<float>(k) / static_cast<float>(bins));
  };
  const auto top = [&](double share) { return std::round(plot.max.y - room * static_cast<float>(share / tallest)); };
  const float gap = plot.width() / static_cast<float>(bins) > ui.px(4) ? std::max(1.0f, ui.px(1)) : 0;
  for (std::size_t k = 0; k < bins; ++k) {
    if (own[k] > 0)
      fill({{edge(k), std::min(top(own[k]), plot.max.y - 1)}, {edge(k + 1) - gap, plot.max.y}}, ui.colors.ok);
  }
  // The mean of all heads as a line of steps.
  for (std::size_t k = 0; k < bins && !all.empty(); ++k) {
    horizontal_line(ui, edge(k), edge(k + 1), top(all[k]), ui.colors.text);
    if (k + 1 < bins) {
      vertical_line(ui, edge(k + 1), std::min(top(all[k]), top(all[k + 1])),
                    std::max(top(all[k]), top(all[k + 1])) + std::max(1.0f, ui.px(1)), ui.colors.text);
    }
  }
}

std::string edge_text(double edge) {
  return edge >= 1024 ? fmt::format("{:.0f}k", edge / 1024) : fmt::format("{:g}", edge);
}

// The edges of the bins, as many as fit.
void draw_edges(Ui& ui, const Rect& line, std::span<const double> edges, std::size_t bins) {
  const float cell = line.width() / static_cast<float>(bins), needed = ui.px(34);
  std::size_t step = 1;
  while (cell * static_cast<float>(step) < needed) ++step;
  for (std::size_t k = 0; k <= bins; k += step) {
    const float x = line.min.x + cell * static_cast<float>(k);
    const std::string words = edge_text(edges[k]);
    const float width = text_width(ui, Type::mono11, words);
    const float left = std::clamp(x - width / 2, line.min.x, line.max.x - width);
    text(ui, {std::round(left), line.min.y + ui.px(2)}, Type::mono11, ui.colors.text2, words);
  }
}

void draw_metric(Ui& ui, const CorpusShown& shown, CorpusMetric metric, const Rect& area, float& y) {
  const std::string key(corpus_metric_key(metric)), unit = mean_unit(key);
  const std::vector<double> own = bin_shares(shown.picked(), metric);
  const std::vector<double>& all = shown.table->mean_shares[static_cast<std::size_t>(metric)];
  const std::string fact =
      fmt::format("{}{}of a row \u00b7 tallest {:.0f} %", unit, unit.empty() ? "" : " ", tallest_bin(own, all) * 100);
  const std::string mean = fmt::format("mean {}", mean_text(shown.picked().mean(metric)));
  draw_histogram(ui, {mean_words(key), fact, mean, own, all, histogram_edges(metric)}, area, y);
}

void draw_scores(Ui& ui, const CorpusShown& shown, const Rect& area, float& y) {
  draw_section_title(ui, row(area, y, ui.px(kSection)), "Means", fmt::format("rank of {}", shown.table->heads.size()));
  for (std::size_t k = 0; k < shown.table->keys.size(); ++k) {
    if (!shown.table->held[k]) continue;
    Rect line = row(area, y, ui.px(kScore));
    const HeadTable::Range& range = shown.table->ranges[k];
    const double value = shown.table->mean(k, shown.head);
    const std::int64_t rank = shown.among == nullptr ? 0 : shown.among->answer->ranks[k];
    text_in(ui, take_left(line, ui.px(112), ui.px(6)), Type::words12, ui.colors.text2,
            mean_words(shown.table->keys[k]));
    text_in(ui, take_right(line, ui.px(44), ui.px(4)), Type::mono11, ui.colors.text2,
            rank > 0 ? std::to_string(rank) : "", 1);
    text_in(ui, take_right(line, ui.px(54), ui.px(8)), Type::mono12, ui.colors.text, mean_text(value), 1);
    const float middle = std::round(line.center().y);
    const Rect bar{{line.min.x, middle - ui.px(3)}, {line.max.x, middle + ui.px(3)}};
    fill(bar, ui.colors.well);
    if (!std::isfinite(value) || !(range.high > range.low)) continue;
    const float at = std::round(bar.min.x + (bar.width() - ui.px(3)) *
                                                static_cast<float>((value - range.low) / (range.high - range.low)));
    fill({{at, bar.min.y - ui.px(2)}, {at + ui.px(3), bar.max.y + ui.px(2)}}, ui.colors.accent);
  }
}

// As many as have room for the widest name beside the widest cosine.
int chips_a_row(Ui& ui, const CorpusShown& shown, const std::vector<SimilarHead>& heads, float width) {
  float widest = 0;
  for (const SimilarHead& alike : heads) {
    widest = std::max(widest, text_width(ui, Type::mono_bold11, shown.name_of(alike.head)) +
                                  text_width(ui, Type::mono11, number_label(alike.cosine, 2)));
  }
  const float chip = std::ceil(widest) + ui.px(2 * kChipGap + 8), gap = ui.px(kChipGap);
  return std::clamp(static_cast<int>((width + gap) / (chip + gap)), 1, kMostChipsARow);
}

}  // namespace

void draw_section_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact) {
  text_in(ui, line, Type::title12, ui.colors.text, title);
  const float left = line.min.x + std::ceil(text_width(ui, Type::title12, title)) + ui.px(12);
  if (left >= line.max.x) return;
  text_in(ui, {{left, line.min.y}, line.max}, Type::words11, ui.colors.text3,
          given(shortened_to(ui, Type::words11, fact, line.max.x - left)), 1);
}

void draw_head_chips(Ui& ui, const CorpusShown& shown, const HeadChips& chips, const Rect& area, float& y) {
  draw_section_title(ui, row(area, y, ui.px(kSection)), chips.title, chips.fact);
  if (chips.heads == nullptr) return;
  const int in_row = chips_a_row(ui, shown, *chips.heads, area.width());
  const float gap = ui.px(kChipGap);
  const float width = std::floor((area.width() - gap * static_cast<float>(in_row - 1)) / static_cast<float>(in_row));
  float x = area.min.x;
  int column = 0;
  for (const SimilarHead& alike : *chips.heads) {
    const Rect chip{{x, y}, {x + width, y + ui.px(kChip)}};
    const std::string name = shown.name_of(alike.head);
    const Interaction it =
        interact(ui, chips.name + name, chip, {true, false, "Picks this head in the plane and in the grid."});
    fill(chip, it.hovered ? ui.colors.hover : ui.colors.raised, ui.px(size::radius_control));
    outline(ui, chip, ui.colors.edge, 1, ui.px(size::radius_control));
    const Rect inner = inset(chip, ui.px(kChipGap));
    text_in(ui, inner, Type::mono_bold11, ui.colors.text, name);
    text_in(ui, inner, Type::mono11, ui.colors.text2, number_label(alike.cosine, 2), 1);
    if (it.hovered) ui.state.panels.get<CorpusPanelState>().next_hovered = alike.head;
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, chip, ui.px(size::radius_control));
    if (it.clicked) pick_head(ui, shown, alike.head);
    x += width + gap;
    if (++column % in_row == 0) {
      x = area.min.x;
      y += ui.px(kChip + kChipGap);
    }
  }
  if (column % in_row != 0) y += ui.px(kChip + kChipGap);
}

float head_chips_height(Ui& ui, const CorpusShown& shown, const std::vector<SimilarHead>* heads, float width) {
  if (heads == nullptr) return ui.px(kSection);
  const auto in_row = static_cast<std::size_t>(chips_a_row(ui, shown, *heads, width));
  const std::size_t rows = (heads->size() + in_row - 1) / in_row;
  return ui.px(kSection) + ui.px(kChip + kChipGap) * static_cast<float>(rows);
}

double tallest_bin(std::span<const double> own, std::span<const double> all) {
  double tallest = 0;
  for (const std::span<const double> shares : {own, all}) {
    for (const double share : shares) tallest = std::max(tallest, share);
  }
  return tallest;
}

float histogram_height(const Ui& ui) {
  return ui.px(kTitle + kHistogram + kTicks + kGap);
}

void draw_histogram(Ui& ui, const HistogramLook& look, const Rect& area, float& y) {
  const Rect title = row(area, y, ui.px(kTitle));
  text_in(ui, title, Type::title12, ui.colors.text, look.name);
  const float after = text_width(ui, Type::title12, look.name) + ui.px(10);
  text_in(ui, title, Type::mono11, ui.colors.text, look.mean, 1);
  text_in(ui, {{title.min.x + after, title.min.y}, title.max}, Type::words11, ui.colors.text3, look.fact);
  const Rect plot = row(area, y, ui.px(kHistogram));
  draw_bars(ui, plot, look.own, look.all);
  ui.mark("corpus/histogram/" + look.name, plot);
  draw_edges(ui, row(area, y, ui.px(kTicks)), look.edges, shown_bins(look.own, look.all));
  y += ui.px(kGap);
}

void draw_corpus_head(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const HeadRecord& head = shown.picked();
  const bool scanned = shown.headvis == nullptr;
  panel_header(ui, {area.min, {area.max.x, area.min.y + ui.px(36)}}, "Head " + shown.name_of(shown.head),
               scanned ? fmt::format("layer {}, head {} \u00b7 {} rows", head.layer, head.head,
                                     grouped_digits(static_cast<std::int64_t>(head.rows)))
                       : fmt::format("layer {}, head {}", head.layer, head.head),
               static_cast<int>(head.head));
  const Rect body{{area.min.x + pad, area.min.y + ui.px(36)}, {area.max.x - pad, area.max.y}};
  std::vector<CorpusMetric> with_bins;
  for (const CorpusMetric metric : all_corpus_metrics()) {
    if (scanned && !histogram_edges(metric).empty()) with_bins.push_back(metric);
  }
  const auto means = std::count(shown.table->held.begin(), shown.table->held.end(), true);
  const std::vector<SimilarHead>* alike = shown.among == nullptr ? nullptr : &shown.among->answer->alike;
  const float plots = scanned ? histogram_height(ui) * static_cast<float>(with_bins.size()) + ui.px(kTitle)
                              : headvis_plots_height(ui, shown);
  const float narrow = body.width() - ui.px(10);  // beside the bar that scrolls
  const float content = plots + head_chips_height(ui, shown, alike, narrow) + corpus_pattern_height(ui, shown, narrow) +
                        corpus_tokens_height(ui, shown) + ui.px(kSection) + ui.px(kScore) * static_cast<float>(means) +
                        ui.px(6);
  const ScrollArea scroll = begin_scroll(ui, "corpus/head", body, content);
  const Rect inner{body.min, {body.max.x - (content > body.height() ? ui.px(10) : 0), body.max.y}};
  float y = body.min.y - scroll.offset;
  const std::string compared = fmt::format("cosine of {} standardised means", shown.table->compared);
  draw_head_chips(ui, shown, {"Heads like this one", compared, "corpus/alike/", alike}, inner, y);
  draw_corpus_pattern(ui, shown, inner, y);
  draw_corpus_tokens(ui, shown, inner, y);
  for (const CorpusMetric metric : with_bins) draw_metric(ui, shown, metric, inner, y);
  if (scanned) {
    text_in(ui, row(inner, y, ui.px(kTitle)), Type::words11, ui.colors.text3,
            fmt::format("filled: this head; line: the mean of {} heads", shown.table->heads.size()));
  } else {
    draw_headvis_plots(ui, shown, inner, y);
  }
  draw_scores(ui, shown, inner, y);
  end_scroll(ui);
}

}  // namespace headscope::ui

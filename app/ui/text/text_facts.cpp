// What surrounds the words: the legend, the same weights head by head, the chosen pair.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/text/text_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text_weights_look.h"

namespace headscope::ui {
namespace {

constexpr float kNames = 78, kStrongest = 58, kBandTitle = 26, kBandBelow = 8;
constexpr float kTallestBand = 24, kLowestBand = 9;
constexpr std::size_t kNamedWords = 5;

// A line of pieces in their own colours, as many as fit.
struct Pieces {
  Ui& ui;
  Rect rest;
  void add(Type type, Rgba color, const std::string& words, float gap = 0) {
    const float width = std::ceil(text_width(ui, type, words));
    if (width > rest.width()) {
      rest.min.x = rest.max.x;
      return;
    }
    text_in(ui, {rest.min, {rest.min.x + width + 1, rest.max.y}}, type, color, words);
    rest.min.x += width + gap;
  }
};

// A small ring, and what it marks.
void ring_key(Pieces& line, Rgba color, const std::string& words) {
  Ui& ui = line.ui;
  const float side = ui.px(10), top = std::round(line.rest.center().y - side / 2);
  if (line.rest.width() < side * 2) return;
  outline(ui, {{line.rest.min.x, top}, {line.rest.min.x + side, top + side}}, color, 2, ui.px(size::radius_inner));
  line.rest.min.x += side + ui.px(6);
  line.add(Type::words11, ui.colors.text2, words, ui.px(14));
}

// The weights of every head by itself: a row a head, a column a word.
HeatmapSpec bands_spec(Ui& ui, const TextWeights& known, const Rect& map) {
  HeatmapSpec spec;
  spec.matrix = known.by_head;
  spec.rows = static_cast<double>(known.by_head.dim(0));
  spec.columns = static_cast<double>(known.by_head.dim(1));
  spec.width = static_cast<int>(map.width());
  spec.height = static_cast<int>(map.height());
  spec.map = color_map_of(ui, true);
  spec.range = head_range(known);
  spec.theme = ui.settings.theme;
  spec.pixel_scale = static_cast<double>(ui.scale);
  return spec;
}

// The strongest weight of a head, its name and its square.
void draw_band_name(Ui& ui, const TextShown& shown, std::int64_t head, const Rect& row, float map_right) {
  const std::vector<std::int64_t>& heads = shown.request.heads;
  const bool chosen = std::binary_search(heads.begin(), heads.end(), head);
  const Rgba ink = chosen ? ui.colors.text : ui.colors.text3;
  const float side = std::min(ui.px(10), row.height() - 2), top = std::round(row.center().y - side / 2);
  fill({{row.min.x, top}, {row.min.x + side, top + side}}, head_color(head));
  if (row.height() < ui.px(13)) return;
  const Rect name{{row.min.x + ui.px(16), row.min.y}, {row.min.x + ui.px(kNames), row.max.y}};
  text_in(ui, name, chosen ? Type::title12 : Type::words12, ink, fmt::format("head {}", head));
  const float largest = shown.weights()->largest_by_head[static_cast<std::size_t>(head)];
  text_in(ui, {{map_right, row.min.y}, row.max}, chosen ? Type::mono_bold11 : Type::mono11, ink,
          cell_label(static_cast<double>(largest)), 1);
}

// A frame around a word's column, with its index and letters below.
void mark_column(Ui& ui, const Rect& map, std::int64_t token, std::int64_t count, Rgba color) {
  if (token < 0 || token >= count) return;
  const float cell = map.width() / static_cast<float>(count);
  const float x = std::round(map.min.x + static_cast<float>(token) * cell);
  const float width = std::max(std::round(cell), ui.px(3));
  outline(ui, {{x - 1, map.min.y - 1}, {x + width + 1, map.max.y + 1}}, color, 1.5f);
}

}  // namespace

WordColors word_colors(const Ui& ui, const TextWeights& weights) {
  ViewSpec spec;
  spec.range = ui.session.view.range_fixed ? RangeKind::fixed : RangeKind::automatic;
  spec.range_low = ui.session.view.range_low;
  spec.range_high = ui.session.view.range_high;
  return {color_map_of(ui, true), word_range(weights, spec), ui.settings.theme};
}

void draw_text_legend(Ui& ui, const TextShown& shown, const Rect& area) {
  const TextWeights* known = shown.weights();
  const float bar_width = std::min(ui.px(230), area.width() / 3);
  const float middle = area.min.y + ui.px(16);
  Pieces first{ui, {{area.min.x + bar_width + ui.px(22), middle - ui.px(12)}, {area.max.x, middle + ui.px(6)}}};
  Pieces second{ui, {{first.rest.min.x, middle + ui.px(8)}, {area.max.x, middle + ui.px(26)}}};
  if (known == nullptr) {
    const bool failed = shown.result != nullptr && !shown.result->failure.empty();
    first.add(Type::words12, failed ? ui.colors.bad : ui.colors.text2,
              failed ? control_words(shown.result->failure) : "Computing …");
    return;
  }
  const ValueRange range = word_colors(ui, *known).range;
  color_bar(ui, {{area.min.x, middle - ui.px(6)}, {area.min.x + bar_width, middle + ui.px(4)}}, color_map_of(ui, true),
            range, true);
  ui.mark("text/legend", area);
  std::string words = text_weights_words(shown.result->question.request, shown.data.trace().num_heads());
  words += known->largest > 0 ? ", one range for all tokens" : ": nothing to see";
  first.add(Type::words11, ui.colors.text2, words, ui.px(12));
  first.add(Type::words11, ui.colors.text3, shown.row ? "strongest keys" : "strongest queries", ui.px(6));
  for (std::size_t k = 0; k < std::min(kNamedWords, known->strongest.size()); ++k) {
    const std::int64_t token = known->strongest[k];
    const std::vector<std::string>& names =
        shown.row ? shown.data.columns(StageId::weights) : shown.data.rows(StageId::weights);
    const std::string number = number_label(static_cast<double>(known->values[static_cast<std::size_t>(token)]), 4);
    const std::string name = shortened_to(ui, Type::mono11, token_or_index(names, token), ui.px(120));
    const float needed = text_width(ui, Type::mono11, name) + text_width(ui, Type::mono11, number) + ui.px(8);
    if (needed > first.rest.width()) break;
    first.add(Type::mono11, shown.partner_color(ui), name, ui.px(4));
    first.add(Type::mono11, ui.colors.text, number, ui.px(10));
  }
  ring_key(second, shown.own_color(ui), shown.row ? "picked query" : "picked key");
  ring_key(second, shown.partner_color(ui), shown.row ? "chosen key" : "chosen query");
  const auto hidden = std::count(known->hidden.begin(), known->hidden.end(), 1);
  if (hidden > 0) {
    second.add(Type::words11, ui.colors.text2, fmt::format("hatched: hidden, {} of {}", hidden, known->hidden.size()),
               ui.px(14));
  }
  second.add(Type::words11, ui.colors.text3,
             shown.patches ? (shown.one_text ? "Click picks a patch, Shift+click the other one" : "Click picks the key")
             : shown.one_text ? "Click picks a word, Shift+click the other one"
                              : "Click picks a word in either text");
}

float text_bands_height(const Ui& ui, const TextShown& shown, float most) {
  const auto heads = static_cast<float>(shown.data.trace().num_heads());
  if (heads < 2) return 0;
  const float fixed = ui.px(kBandTitle + kBandBelow);
  const float row = std::min(ui.px(kTallestBand), std::floor((most - fixed) / heads));
  return row < ui.px(kLowestBand) ? 0 : fixed + row * heads;
}

void draw_text_bands(Ui& ui, const TextShown& shown, const Rect& area) {
  horizontal_line(ui, area.min.x, area.max.x, area.min.y, ui.colors.line);
  const std::int64_t heads = shown.data.trace().num_heads();
  const std::int64_t count = shown.row ? shown.data.trace().key_len() : shown.data.trace().query_len();
  Rect title{{area.min.x, area.min.y}, {area.max.x, area.min.y + ui.px(kBandTitle)}};
  Pieces pieces{ui, title};
  pieces.add(Type::title12, ui.colors.text, shown.row ? "The same row, head by head" : "The same column, head by head",
             ui.px(10));
  const TextWeights* known = shown.weights();
  if (known == nullptr) return;
  const double largest = head_range(*known).high;
  pieces.add(Type::words12, ui.colors.text2,
             fmt::format("{} heads × {} tokens, range 0–{}", heads, count, tick_label(largest, largest)));
  Rect map{{area.min.x + ui.px(kNames), title.max.y}, {area.max.x - ui.px(kStrongest), area.max.y - ui.px(kBandBelow)}};
  map.max.x = map.min.x + std::floor(map.width());
  map.max.y = map.min.y + std::floor(map.height());
  const float row = map.height() / static_cast<float>(heads);
  // Whole pixels a word where there is room.
  const float cell = std::floor(map.width() / static_cast<float>(count));
  if (cell >= 1) map.max.x = map.min.x + std::min(cell, ui.px(34)) * static_cast<float>(count);
  const float behind = map.max.x + ui.px(kStrongest);
  if (pieces.rest.min.x + ui.px(60) < behind) {
    text_in(ui, {{map.max.x, title.min.y}, {behind, title.max.y}}, Type::words11, ui.colors.text3, "strongest", 1);
  }
  const TextureId id = ui.textures.heatmap(bands_spec(ui, *known, map));
  if (id != 0) canvas().AddImage(compat::texture(id), map.min, map.max);
  const float width = map.width() / static_cast<float>(count);
  for (std::int64_t k = 0; k < count; ++k) {
    if (known->hidden[static_cast<std::size_t>(k)] == 0) continue;
    fill({{std::round(map.min.x + static_cast<float>(k) * width), map.min.y},
          {std::round(map.min.x + static_cast<float>(k + 1) * width), map.max.y}},
         ui.colors.well);
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    const float y = map.min.y + static_cast<float>(head) * row;
    draw_band_name(ui, shown, head, {{area.min.x, y}, {behind, y + row}}, map.max.x);
  }
  if (shown.one_text) mark_column(ui, map, shown.request.token, count, shown.own_color(ui));
  mark_column(ui, map, shown.partner(ui), count, shown.partner_color(ui));
  const Interaction mouse = interact_mouse(ui, "text/bands", map, {}, false);
  if (!mouse.hovered) return;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const auto token = std::clamp<std::int64_t>(static_cast<std::int64_t>((at.x - map.min.x) / width), 0, count - 1);
  const auto head = std::clamp<std::int64_t>(static_cast<std::int64_t>((at.y - map.min.y) / row), 0, heads - 1);
  Hover& hover = ui.state.next_hover;
  hover = {shown.row ? shown.request.token : token, shown.row ? token : shown.request.token, head, -1, {}};
  if (!mouse.clicked) return;
  ui.session.view.head = head;
  pick_word(ui, shown, token, true);
}

void draw_text_readout(Ui& ui, const TextShown& shown, const Rect& box) {
  const std::int64_t partner = shown.partner(ui);
  const TextWeights* known = shown.weights();
  const bool there = known != nullptr && shown.current() && partner >= 0;
  Rect rest = readout_line(ui, box, true);
  ui.mark("text/readout", box);
  if (!there)
    return text_in(ui, rest, Type::words12, ui.colors.text3, known == nullptr ? "Computing …" : "Pick a word.");
  const std::string total = number_label(static_cast<double>(known->values[static_cast<std::size_t>(partner)]), 4);
  text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::mono_bold12, total)) + 1, ui.px(18)), Type::mono_bold12,
          ui.colors.text, total, 1);
  const std::int64_t query = shown.row ? shown.request.token : partner, key = shown.row ? partner : shown.request.token;
  const std::string place = fmt::format("query {} · key {}", query, key);
  text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::words12, place)) + 1, ui.px(14)), Type::words12,
          ui.colors.text2, place, 1);
  Pieces pieces{ui, rest};
  pieces.add(Type::mono_bold12, ui.colors.query, token_or_index(shown.data.rows(StageId::weights), query), ui.px(8));
  pieces.add(Type::words12, ui.colors.text2, "→", ui.px(8));
  pieces.add(Type::mono_bold12, ui.colors.key, token_or_index(shown.data.columns(StageId::weights), key), ui.px(22));
  const bool mean = shown.request.combined == HeadsCombined::mean && shown.request.heads.size() > 1;
  if (mean) pieces.add(Type::words12, ui.colors.text2, "mean of", ui.px(6));
  const std::vector<std::int64_t>& heads = shown.request.heads;
  for (std::size_t k = 0; k < heads.size(); ++k) {
    const std::string name = fmt::format("head {}", heads[k]);
    const std::string number = number_label(static_cast<double>(known->by_head.at({heads[k], partner})), 4);
    const std::string sign = k == 0 ? "" : mean ? "," : "+";
    const float needed = text_width(ui, Type::words12, name) + text_width(ui, Type::mono12, number) + ui.px(30);
    const float rest_words = k + 1 == heads.size() ? 0 : ui.px(70);
    if (k > 0) pieces.add(Type::mono12, ui.colors.text3, sign, ui.px(6));
    if (needed + rest_words > pieces.rest.width()) {
      pieces.add(Type::words12, ui.colors.text2, fmt::format("{} more", heads.size() - k));
      break;
    }
    pieces.add(Type::words12, ui.colors.text2, name, ui.px(4));
    pieces.add(Type::mono12, ui.colors.text, number, ui.px(6));
  }
}

}  // namespace headscope::ui

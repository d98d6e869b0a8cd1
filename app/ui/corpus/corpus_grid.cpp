// Layers x heads, coloured by one metric.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kHeader = 36, kGutter = 62, kNames = 18, kBar = 62, kAcross = 10;
constexpr float kSmallest = 6, kWidest = 46, kHighest = 24, kNumberWidth = 28, kNumberHeight = 15, kNameWidth = 22,
                kNumbered = 40, kBesideTag = 25;

// Where cells lie; what is scrolled away included.
struct Places {
  Rect seen;
  ImVec2 origin;
  float width = 0, height = 0;

  Rect of(const HeadTable::Head& head) const {
    const float x = origin.x + static_cast<float>(head.column) * width;
    const float y = origin.y + static_cast<float>(head.row) * height;
    return {{x, y}, {x + width, y + height}};
  }
};

struct Span {
  std::size_t begin = 0, end = 0;
};

// Rows or columns in sight.
Span in_sight(float begin, float end, float size, std::size_t count) {
  const auto first = static_cast<std::size_t>(std::max(0.0f, std::floor(begin / size)));
  const auto last = static_cast<std::size_t>(std::max(0.0f, std::ceil(end / size)));
  return {std::min(first, count), std::min(last, count)};
}

// Calls f(index) for the heads in sight.
template <typename F>
void each_in_sight(const HeadTable& table, const Places& places, const F& f) {
  const Rect& seen = places.seen;
  const Span rows =
      in_sight(seen.min.y - places.origin.y, seen.max.y - places.origin.y, places.height, table.layers.size());
  const Span columns =
      in_sight(seen.min.x - places.origin.x, seen.max.x - places.origin.x, places.width, table.numbers.size());
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    const auto at = std::partition_point(table.heads.begin(), table.heads.end(), [&](const HeadTable::Head& head) {
      return head.row != row ? head.row < row : head.column < columns.begin;
    });
    for (auto head = at; head != table.heads.end() && head->row == row && head->column < columns.end; ++head) {
      f(static_cast<std::size_t>(head - table.heads.begin()));
    }
  }
}

// Every 1st, 2nd, 5th, 10th ... name, so that they do not touch.
std::size_t name_step(float cell, float needed) {
  std::size_t step = 1;
  for (const std::size_t factor : {2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    if (cell * static_cast<float>(step) >= needed) break;
    step = factor;
  }
  return step;
}

void draw_names(Ui& ui, const CorpusShown& shown, const Places& places, const Rect& area) {
  const HeadTable& table = *shown.table;
  const HeadTable::Head& picked = table.heads[shown.head];
  const Rect& seen = places.seen;
  const std::size_t row_step = name_step(places.height, ui.px(13)),
                    column_step = name_step(places.width, ui.px(kNameWidth));
  const auto far_enough = [](std::size_t at, std::size_t mark, std::size_t step) {
    return at == mark || (at % step == 0 && (at > mark ? at - mark : mark - at) >= step);
  };
  const Span rows =
      in_sight(seen.min.y - places.origin.y, seen.max.y - places.origin.y, places.height, table.layers.size());
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    if (!far_enough(row, picked.row, row_step)) continue;
    const float middle = places.origin.y + (static_cast<float>(row) + 0.5f) * places.height;
    if (middle < seen.min.y || middle > seen.max.y) continue;
    const bool on = row == picked.row;
    text_in(ui, {{area.min.x, middle - ui.px(8)}, {seen.min.x - ui.px(9), middle + ui.px(8)}},
            on ? Type::mono_bold11 : Type::words11, on ? ui.colors.text : ui.colors.text2,
            fmt::format("layer {}", table.layers[row]), 1);
  }
  const Span columns =
      in_sight(seen.min.x - places.origin.x, seen.max.x - places.origin.x, places.width, table.numbers.size());
  text_in(ui, {{area.min.x, seen.min.y - ui.px(kNames)}, {seen.min.x - ui.px(6), seen.min.y}}, Type::words11,
          ui.colors.text3, "head", 1);
  for (std::size_t column = columns.begin; column < columns.end; ++column) {
    if (!far_enough(column, picked.column, column_step)) continue;
    const float middle = places.origin.x + (static_cast<float>(column) + 0.5f) * places.width;
    if (middle < seen.min.x || middle > seen.max.x) continue;
    const bool on = column == picked.column;
    text_in(ui, {{middle - ui.px(20), seen.min.y - ui.px(kNames)}, {middle + ui.px(20), seen.min.y}},
            on ? Type::mono_bold11 : Type::mono11, on ? ui.colors.text : ui.colors.text2,
            std::to_string(table.numbers[column]), 0.5f);
  }
}

// The pixels at the left of a cell that its cluster's number takes; 0 without one.
float tag_width(Ui& ui, const CorpusShown& shown, std::size_t head, const Rect& place) {
  const bool numbered = shown.tree != nullptr && shown.tree->of_head[head] >= 0 && place.width() >= ui.px(kNumbered);
  return numbered ? ui.px(16) : 0;
}

// Its number stands behind `tag` pixels.
void draw_cell(Ui& ui, const Rect& place, double value, const HeadTable::Range& range, float tag) {
  const float gap = place.width() >= ui.px(10) ? std::max(1.0f, ui.px(1)) : 0;
  const Rect inner{place.min, {place.max.x - gap, place.max.y - gap}};
  if (!std::isfinite(value)) return fill(inner, ui.colors.well);
  const double share = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0;
  const Rgba ground = color_at(color_map_of(ui, true), share);
  fill(inner, ground);
  const Rect room{{inner.min.x + tag, inner.min.y}, inner.max};
  if (room.width() < ui.px(tag > 0 ? kBesideTag : kNumberWidth) || inner.height() < ui.px(kNumberHeight)) return;
  const std::string words = std::fabs(value) < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
  text_in(ui, room, Type::mono11, ink_on(ground), words.starts_with("0.") ? words.substr(1) : words, 0.5f);
}

// Scrolls to the picked head when another one was picked.
void follow(Ui& ui, const CorpusShown& shown, const Places& places) {
  struct Followed {
    std::shared_ptr<const HeadTable> table;
    std::size_t head = 0;
  };
  Followed& followed = ui.state.panels.get<Followed>();
  if (followed.table == shown.table && followed.head == shown.head) return;
  followed = {shown.table, shown.head};
  const HeadTable::Head& head = shown.table->heads[shown.head];
  ScrollOffsets& offsets = ui.state.panels.get<ScrollOffsets>();
  const auto into_sight = [](double& offset, float begin, float size, float room) {
    const auto first = static_cast<double>(begin), last = static_cast<double>(begin + size - room);
    offset = std::max(0.0, std::clamp(offset, std::min(last, first), first));
  };
  into_sight(offsets.down[kCorpusGrid], static_cast<float>(head.row) * places.height, places.height,
             places.seen.height());
  into_sight(offsets.across[kCorpusGrid], static_cast<float>(head.column) * places.width, places.width,
             places.seen.width());
}

// What a cell has beside its colour: a frame and a corner where the head is chosen, the number of its cluster.
void draw_cell_marks(Ui& ui, const CorpusShown& shown, std::size_t head, const Rect& place) {
  const bool small = place.width() < ui.px(12) || place.height() < ui.px(10);
  if (shown.tree != nullptr && shown.tree->of_head[head] >= 0) {
    const float width = small ? std::max(1.0f, ui.px(2)) : ui.px(4);
    fill({place.min, {place.min.x + width, place.max.y - 1}}, cluster_color(shown, head));
    if (const float end = tag_width(ui, shown, head, place); end > 0) {
      const Rect tag{{place.min.x + width, place.min.y}, {place.min.x + end, place.max.y - 1}};
      fill(tag, ui.colors.panel);
      text_in(ui, tag, Type::mono10, ui.colors.text, cluster_of(shown, head), 0.5f);
    }
  }
  if (!shown.chosen->is[head]) return;
  const float side = small ? std::max(2.0f, ui.px(3)) : ui.px(7);
  if (small) return fill({place.min, {place.min.x + side, place.min.y + side}}, ui.colors.accent);
  outline(ui, place, ui.colors.accent, 2);
  canvas().AddTriangleFilled({place.max.x - side, place.min.y}, {place.max.x, place.min.y},
                             {place.max.x, place.min.y + side}, color32(ui.colors.accent));
}

void draw_cells(Ui& ui, const CorpusShown& shown, Places places, const Interaction& it) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  const HeadTable& table = *shown.table;
  const std::size_t mean = shown_mean(table, ui.session.view.corpus.grid);
  const HeadTable::Range& range = table.ranges[mean];
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  state.cells_drawn = 0;
  each_in_sight(table, places, [&](std::size_t head) {
    const Rect place = places.of(table.heads[head]);
    draw_cell(ui, place, table.mean(mean, head), range, tag_width(ui, shown, head, place));
    draw_cell_marks(ui, shown, head, place);
    ++state.cells_drawn;
    if (ui.probe != nullptr) ui.mark("corpus/cell/" + shown.name_of(head), place);
    if (!it.hovered || !place.contains(mouse)) return;
    state.next_hovered = head;
    if (it.clicked) pick_head(ui, shown, head);
  });
  if (shown.among != nullptr && shown.tree == nullptr) {
    for (const SimilarHead& alike : shown.among->answer->alike) {
      if (!shown.chosen->is[alike.head]) outline(ui, places.of(table.heads[alike.head]), ui.colors.text2, 1);
    }
  }
  if (state.hovered) outline(ui, places.of(table.heads[*state.hovered]), ui.colors.text, 1);
  draw_pick_frame(ui, places.of(table.heads[shown.head]), places.seen);
}

void draw_controls(Ui& ui, const HeadTable& table, const Rect& header) {
  Rect line{{header.min.x, std::round(header.center().y - ui.px(12))}, {header.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "corpus/colormap", take_right(line, ui.px(92), ui.px(6)), true);
  mean_combo(ui, table, "corpus/grid_metric", take_right(line, ui.px(132), ui.px(6)), ui.session.view.corpus.grid,
             "What the colour of a cell says: the head's mean over all rows that have it.");
  panel_header(ui, {header.min, {line.max.x, header.max.y}}, "Layers \u00d7 heads", "same selection");
}

}  // namespace

float corpus_grid_height(const Ui& ui, const CorpusShown& shown) {
  const float cells = ui.px(kHighest) * static_cast<float>(shown.table->layers.size());
  return ui.px(kHeader + kNames + kAcross + 14) + std::max(cells, ui.px(80));
}

void draw_corpus_grid(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const HeadTable& table = *shown.table;
  draw_controls(ui, table, {area.min, {area.max.x, area.min.y + ui.px(kHeader)}});
  const Rect inner{{area.min.x + pad, area.min.y + ui.px(kHeader)}, {area.max.x - pad, area.max.y - ui.px(6)}};
  Rect seen{{inner.min.x + ui.px(kGutter), inner.min.y + ui.px(kNames)},
            {inner.max.x - ui.px(kBar), inner.max.y - ui.px(kAcross)}};
  if (seen.width() < ui.px(40) || seen.height() < ui.px(30)) return;
  Places places;
  const auto fitted = [&](float room, std::size_t count, float most) {
    return std::clamp(std::floor(room / static_cast<float>(count)), ui.px(kSmallest), ui.px(most));
  };
  places.width = fitted(seen.width(), table.numbers.size(), kWidest);
  places.height = fitted(seen.height(), table.layers.size(), kHighest);
  const float content_width = places.width * static_cast<float>(table.numbers.size());
  const float content_height = places.height * static_cast<float>(table.layers.size());
  seen.max.x = std::min(seen.max.x, seen.min.x + content_width);
  seen.max.y = std::min(seen.max.y, seen.min.y + content_height);
  places.seen = seen;
  follow(ui, shown, places);
  const float across = scroll_across(ui, kCorpusGrid,
                                     {.bar = {{seen.min.x, seen.max.y}, {seen.max.x, seen.max.y + ui.px(kAcross)}},
                                      .over = seen,
                                      .width = seen.width(),
                                      .content_width = content_width,
                                      .step = places.width});
  const Interaction it = interact_mouse(ui, kCorpusGrid, seen);
  const ScrollArea scroll = begin_scroll(ui, kCorpusGrid, seen, content_height);
  places.origin = {seen.min.x - across, seen.min.y - scroll.offset};
  draw_cells(ui, shown, places, it);
  end_scroll(ui);
  draw_names(ui, shown, places, inner);
  const HeadTable::Range& range = table.ranges[shown_mean(table, ui.session.view.corpus.grid)];
  // Of a few rows it is higher than the cells.
  const float bar = std::max(seen.height(), std::min(ui.px(80), inner.height() - ui.px(kNames + 8)));
  color_bar(ui, {{seen.max.x + ui.px(14), seen.min.y}, {seen.max.x + ui.px(24), seen.min.y + bar}},
            color_map_of(ui, true), {range.low, range.high, false, false}, false);
  if (it.double_clicked) open_example(ui, shown);
  if (it.focused) read_head_keys(ui, shown);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(seen, -ui.px(2)), ui.px(3));
}

}  // namespace headscope::ui

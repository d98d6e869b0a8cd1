// The map of pairs: heads that read by heads of earlier layers that write, and the numbers of a pair in words.
#include <fmt/format.h>

#include <algorithm>

#include "app/session/session.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/named_map.h"
#include "app/ui/stage_facts.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kReadout = 26, kLegend = 40;

NamedMap map_of_pairs(Ui& ui, const CompositionShown& shown) {
  NamedMap map{.name = kCircuitsMap, .view = {}, .rows = shown.drawn.readers, .columns = shown.drawn.writers};
  map.view.matrix = shown.drawn.above;
  map.view.mask = shown.drawn.mask;
  map.view.map = color_map_of(ui, false);
  const double end = shown.drawn.largest > 0 ? shown.drawn.largest : 1;
  map.view.range = {-end, end, false, false};
  map.view.weight_like = false;
  map.row_word = "reads ↓";
  map.column_word = "writes →";
  map.groups = {shown.found.heads, 1, 0};
  map.picked = shown.cell_of(shown.reader, shown.writer);
  map.viewport = &ui.state.panels.get<CircuitsPanelState>().viewport;
  return map;
}

// The pair that an arrow leads to: the head that writes stays of an earlier layer.
Cell stepped(const CompositionShown& shown, Cell step) {
  const Cell at = shown.cell_of(shown.reader, shown.writer);
  const std::int64_t row = std::clamp<std::int64_t>(at.row + step.row, 0, shown.side() - 1);
  const std::int64_t visible = (row / shown.found.heads + 1) * shown.found.heads;
  return {row, std::clamp<std::int64_t>(at.column + step.column, 0, visible - 1)};
}

void read_input(Ui& ui, const CompositionShown& shown, const DrawnNamedMap& drawn) {
  const auto pick = [&](const Cell& cell) {
    if (shown.has_score(cell)) pick_pair(ui, shown.reader_at(cell), shown.writer_at(cell));
  };
  if (drawn.input.clicked) pick(*drawn.input.clicked);
  if (drawn.input.double_clicked) open_one_layer(ui, shown.reader.layer, shown.reader.head);
  if (!drawn.input.focused) return;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const Cell cell = stepped(shown, *step);
    pick(cell);
    Viewport& viewport = ui.state.panels.get<CircuitsPanelState>().viewport;
    viewport = showing(drawn.fitted, viewport, cell);
  } else if (ui.take_key(KeyName::enter)) {
    open_one_layer(ui, shown.reader.layer, shown.reader.head);
  }
}

// "1.7 reads 0.5 with its key", and at the right "0.2412  1.93 × random".
void draw_readout(Ui& ui, const CompositionShown& shown, const Rect& box, const Cell& at) {
  Rect line = readout_line(ui, box, true);
  const std::string reader = head_name(shown.reader_at(at)), writer = head_name(shown.writer_at(at));
  std::string words, number, times;
  if (shown.has_score(at)) {
    const double score = shown.score_at(at);
    words = fmt::format("{} reads {} with its {}", reader, writer,
                        kCompositionNames[static_cast<std::size_t>(shown.drawn.kind)]);
    number = number_label(score, 4);
    times = fmt::format("{} × random", number_label(score / shown.found.random, 2));
  } else {
    words = fmt::format("{} is of no earlier layer than {}", writer, reader);
  }
  const auto at_right = [&](Type type, Rgba color, const std::string& of) {
    text_in(ui, take_right(line, std::ceil(text_width(ui, type, of)) + 1, ui.px(14)), type, color, of, 1);
  };
  if (!times.empty()) at_right(Type::words12, ui.colors.text2, times);
  if (!number.empty()) at_right(Type::mono_bold12, ui.colors.text, number);
  text_in(ui, line, Type::words12, ui.colors.text, words);
  ui.mark("circuits/readout: " + words + " " + number, box);
}

}  // namespace

void draw_circuits_composition(Ui& ui, const CompositionShown& shown, const Rect& area) {
  if (!shown.drawn.strongest.empty()) {
    const ComposedPair& pair = shown.drawn.strongest.front();
    say_finding(ui, MainView::circuits,
                fmt::format("Head {}.{} reads most of what head {}.{} writes with its {}: {}, {} times what random "
                            "matrices have.",
                            pair.layer, pair.head, pair.from_layer, pair.from_head,
                            kCompositionNames[static_cast<std::size_t>(shown.drawn.kind)], number_label(pair.score, 3),
                            number_label(pair.score / shown.found.random, 2)));
  }
  const float pad = ui.px(size::panel_padding);
  NamedMap map = map_of_pairs(ui, shown);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y}};
  const DrawnNamedMap drawn =
      draw_named_map(ui, map, {inner.min, {inner.max.x, inner.max.y - ui.px(kReadout + kLegend + 20)}});
  read_input(ui, shown, drawn);
  float y = drawn.picture.max.y + ui.px(10);
  const Rect box = row(inner, y, ui.px(kReadout));
  draw_readout(ui, shown, box, drawn.at.value_or(*map.picked));
  std::string legend =
      fmt::format("Colour: score less {}, what random matrices of these shapes have. Named layer.head.",
                  number_label(shown.found.random, 4));
  if (const std::string blank = words_of_blanks(ui, map.view.grid); !blank.empty()) {
    legend += " B" + blank.substr(1) + ".";
    say_blanks(ui);
  }
  if (shown.drawn.mask != nullptr) legend += " Hatched: not of an earlier layer.";
  paragraph(ui, {{inner.min.x, y + ui.px(6)}, {inner.max.x, area.max.y}}, Type::words12, ui.colors.text2, legend);
}

}  // namespace headscope::ui

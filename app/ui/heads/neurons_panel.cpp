// One query of one head against every key, feature by feature: the panel, mouse and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/neurons_table.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/collapse.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kPair = 208, kHeadings = 38, kFooter = 40, kTallestRow = 52, kLowestRow = 19;

void choose_key(Ui& ui, const NeuronsTable& table, std::int64_t key) {
  if (key < 0 || key >= table.keys) return;
  select_stage(ui.session.view, StageId::weights);
  ui.session.view.cell = Cell{table.neurons.query, key};
}

void draw_key_row(Ui& ui, const NeuronsTable& table, std::int64_t j, const Rect& row, const Rect& frame) {
  const std::vector<std::string>& names = table.data.columns(StageId::weights);
  const bool chosen = table.focus.picked && table.focus.pair->column == j;
  const Interaction it = interact_mouse(ui, fmt::format("neurons/{}", j), frame, {}, false);
  if (it.hovered) {
    const CellPlace cell = place_of(table.data.trace(), StageId::weights, table.focus.selection.batch,
                                    table.neurons.head, {table.neurons.query, j});
    ui.state.next_hover = {table.neurons.query, j, table.neurons.head, -1, cell};
  }
  if (it.clicked) {
    choose_key(ui, table, j);
    ui.state.focus = "inspector/neurons";
  }
  const bool hovered = ui.state.hover.key == j;
  const Rgba ink = chosen ? ui.colors.key : hovered ? ui.colors.text : ui.colors.text2;
  text_in(ui, {{frame.min.x + ui.px(4), row.min.y}, {table.name_right, row.max.y}},
          chosen ? Type::mono_bold12 : Type::mono12, ink, token_or_index(names, j), 1);
  if (!table.products_as_cells()) draw_product_bars(ui, table, j, row);
  draw_key_numbers(ui, table, j, row, chosen);
}

// The rows of keys: cells of all that are seen as one texture, the gaps between them covered.
void draw_keys(Ui& ui, const NeuronsTable& table, const Rect& area) {
  const float content = table.pitch * static_cast<float>(table.keys);
  const Rect scrolled{{area.min.x - ui.px(8), area.min.y}, {area.max.x + ui.px(12), area.max.y}};
  const ScrollArea scroll = begin_scroll(ui, "neurons", scrolled, content > area.height() ? content : 0);
  const auto first = static_cast<std::int64_t>(scroll.offset / table.pitch);
  const auto end = std::min(table.keys, static_cast<std::int64_t>((scroll.offset + area.height()) / table.pitch) + 1);
  if (first >= end) return end_scroll(ui);
  const float top = area.min.y - scroll.offset + static_cast<float>(first) * table.pitch;
  draw_neurons_cells(ui, table,
                     {.matrix = table.neurons.key_features,
                      .largest = table.neurons.largest_feature,
                      .left = table.cells,
                      .top = top,
                      .first = first,
                      .count = end - first});
  const bool cells_of_products = table.products_as_cells();
  if (cells_of_products) {
    draw_neurons_cells(ui, table,
                       {.matrix = table.neurons.products,
                        .largest = table.neurons.largest_product,
                        .left = table.products,
                        .top = top,
                        .first = first,
                        .count = end - first});
  }
  for (std::int64_t j = first; j < end; ++j) {
    const float y = top + static_cast<float>(j - first) * table.pitch;
    const Rect row{{area.min.x, y}, {area.max.x, y + table.pitch}};
    const Rect frame{{area.min.x - ui.px(6), y}, {area.max.x + ui.px(6), y + table.pitch}};
    const bool chosen = table.focus.picked && table.focus.pair->column == j;
    const Rgba ground = chosen ? ui.colors.tint : ui.state.hover.key == j ? ui.colors.raised : ui.colors.panel;
    const float above = std::floor((table.pitch - table.cell_height) / 2);
    const auto cover = [&](float left, float right) {
      fill({{left, y}, {right, y + above}}, ground);
      fill({{left, y + above + table.cell_height}, {right, y + table.pitch}}, ground);
    };
    if (chosen || ui.state.hover.key == j) {
      fill({frame.min, {table.cells, frame.max.y}}, ground);
      fill({{table.cells + table.strip, y}, {cells_of_products ? table.products : frame.max.x, y + table.pitch}},
           ground);
      if (cells_of_products) fill({{table.products + table.strip, y}, frame.max}, ground);
    }
    cover(table.cells, table.cells + table.strip);
    if (cells_of_products) cover(table.products, table.products + table.strip);
    draw_key_row(ui, table, j, row, frame);
    if (chosen) outline(ui, frame, ui.colors.key, 1.5f, ui.px(size::radius_control));
  }
  end_scroll(ui);
}

// Up and Down walk through the keys, Left and Right through the queries.
void read_keys(Ui& ui, const NeuronsTable& table) {
  const std::int64_t now = table.focus.pair ? table.focus.pair->column : 0;
  if (ui.take_key(KeyName::up)) choose_key(ui, table, now - 1);
  if (ui.take_key(KeyName::down)) choose_key(ui, table, now + 1);
  if (ui.take_key(KeyName::home)) choose_key(ui, table, 0);
  if (ui.take_key(KeyName::end)) choose_key(ui, table, table.keys - 1);
  const auto query = [&](std::int64_t row) {
    if (row < 0 || row >= table.data.trace().query_len()) return;
    select_stage(ui.session.view, StageId::weights);
    ui.session.view.cell = Cell{row, now};
  };
  if (ui.take_key(KeyName::left)) query(table.neurons.query - 1);
  if (ui.take_key(KeyName::right)) query(table.neurons.query + 1);
}

void draw_header(Ui& ui, PanelData& data, const ArcsFocus& focus, const Rect& area, bool beside_arcs) {
  ViewState& view = ui.session.view;
  const std::int64_t query = focus.pair ? focus.pair->row : 0;
  const std::string token = token_or_index(data.rows(StageId::weights), query);
  const auto head = static_cast<int>(focus.selection.head);
  Rect controls = beside_arcs ? panel_header(ui, area, "Neurons", "", head) : draw_heads_title(ui, area);
  const float top = std::round(area.center().y - ui.px(12));
  controls.min.y = top;
  controls.max.y = top + ui.px(size::control_height);
  if (beside_arcs) {
    controls.max.x += ui.px(4);
    collapse_button(ui, controls, "inspector/close", Icon::chevron_right,
                    "Closes this panel; F4 or its rail opens it again.", CommandId::toggle_inspector);
  }
  std::vector<std::string> heads;
  for (std::int64_t h = 0; h < data.trace().num_heads(); ++h) heads.push_back(fmt::format("head {}", h));
  int selected = head;
  const Rect place = take_right(controls, ui.px(96), ui.px(10));
  if (combo(ui, "neurons/head", place, heads, selected,
            {{true, false, "The head whose query and keys are shown."}, Type::words12})) {
    view.head = selected;
  }
  Rect line = controls;
  const auto piece = [&](Type type, Rgba color, const std::string& text) {
    if (line.width() < ui.px(20)) return;
    text_in(ui, line, type, color, text);
    line.min.x += std::ceil(text_width(ui, type, text));
  };
  piece(Type::words12, ui.colors.text2, fmt::format("{}head {}, query ", beside_arcs ? "" : "neurons of ", head));
  piece(Type::mono_bold12, ui.colors.query, token);
  piece(Type::words12, ui.colors.text2, " against every key");
}

// What the inspector would say of the pair's weight.
Inspected pair_of(Ui& ui, PanelData& data, const ArcsFocus& focus) {
  Inspected inspected{data,
                      focus.selection,
                      StageId::weights,
                      focus.selection.batch,
                      focus.selection.head,
                      data.trace().num_heads(),
                      data.matrix(StageId::weights, focus.selection.batch, focus.selection.head),
                      true,
                      true,
                      data.rows(StageId::weights),
                      data.columns(StageId::weights),
                      color_map_of(ui, true),
                      {},
                      focus.pair,
                      !focus.picked};
  return inspected;
}

// How high rows and how wide columns are, in `body`.
void place_table(Ui& ui, NeuronsTable& table, const Rect& body) {
  const float rows = body.height() - ui.px(kHeadings + kFooter + 6);
  table.pitch =
      std::clamp(std::floor(rows / static_cast<float>(table.keys + 1)), ui.px(kLowestRow), ui.px(kTallestRow));
  table.cell_height = std::max(ui.px(9), std::min(ui.px(16), table.pitch - ui.px(4)));
  const std::string query = token_or_index(table.data.rows(StageId::weights), table.neurons.query);
  const float names = std::max(labels_extent(ui, table.data.columns(StageId::weights), ui.px(84)),
                               labels_extent(ui, {query}, ui.px(84)));
  place_columns(ui, table, body, std::max(ui.px(44), std::ceil(names * 12 / 11) + ui.px(8)));
}

void draw_table(Ui& ui, const NeuronsTable& table, const Rect& body) {
  draw_neurons_headings(ui, table, {body.min, {body.max.x, body.min.y + ui.px(kHeadings)}});
  float y = body.min.y + ui.px(kHeadings);
  draw_query_row(ui, table, row(body, y, table.pitch));
  y += ui.px(6);
  const float whole_rows = std::floor((body.max.y - ui.px(kFooter) - y) / table.pitch);
  const float below = y + table.pitch * std::min(static_cast<float>(table.keys), std::max(whole_rows, 0.0f));
  const Rect keys{{body.min.x, y}, {body.max.x, below}};
  const Interaction panel = interact_mouse(ui, "inspector/neurons", {{body.min.x, body.min.y}, {body.max.x, y}});
  if (keys.height() >= table.pitch) draw_keys(ui, table, keys);
  draw_neurons_footer(ui, table, {{body.min.x, below + ui.px(4)}, body.max});
  if (!panel.focused) return;
  if (ui.state.focus_by_keyboard) focus_ring(ui, inset(keys, ui.px(1)), ui.px(3));
  read_keys(ui, table);
}

// The steps from the scores of the shown pair to its weight.
void draw_pair(Ui& ui, PanelData& data, const ArcsFocus& focus, const Rect& place) {
  const Inspected pair = pair_of(ui, data, focus);
  float& needed = ui.state.panels.get<ArcsState>().explained_height;
  const ScrollArea scroll = begin_scroll(ui, "neurons/pair", place, needed);
  const Rect moved{{place.min.x, place.min.y - scroll.offset}, {place.max.x - ui.px(8), place.max.y}};
  needed =
      draw_explanation(ui, data, explained_of(pair), moved, place, focus.picked ? "Chosen pair" : "Strongest pair");
  end_scroll(ui);
}

}  // namespace

void draw_neurons_panel(Ui& ui, const Rect& area, bool beside_arcs, bool explains) {
  ui.mark(beside_arcs ? "inspector" : "heads", area);
  ui.mark("neurons", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::weights) == nullptr) return;
  const ArcsFocus focus = arcs_focus(ui, *data);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_header(ui, *data, focus, header, beside_arcs);
  if (!beside_arcs) read_arcs_keys(ui, *data);
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, header.max.y}, {area.max.x - pad, area.max.y}};
  const Trace& trace = data->trace();
  if (!has_neurons(trace)) {
    paragraph(ui, inner, Type::words13, ui.colors.text2,
              "These weights came without their queries and keys: there is nothing to take them apart into.");
    return;
  }
  if (trace.query_len() == 0 || trace.key_len() == 0) return;
  const std::int64_t query = focus.pair ? focus.pair->row : 0;
  const Neurons& neurons = data->neurons(focus.selection.batch, focus.selection.head, query);
  NeuronsTable table{*data, focus, neurons, neurons.key_features.dim(1), trace.key_len()};

  const float where = ui.px(kPair);
  // The pair's steps stand below when some rows of keys stay above them.
  const bool with_pair =
      explains && focus.pair && inner.height() - where > ui.px(kHeadings + kFooter) + 5 * ui.px(kLowestRow);
  Rect body = inner;
  if (with_pair) body.max.y -= where + ui.px(6);
  place_table(ui, table, body);
  draw_table(ui, table, body);
  if (with_pair) {
    const Rect place{{inner.min.x, inner.max.y - where}, inner.max};
    horizontal_line(ui, area.min.x, area.max.x, place.min.y - ui.px(1), ui.colors.line);
    draw_pair(ui, *data, focus, place);
  }
  ask_for_rest(ui);
}

}  // namespace headscope::ui

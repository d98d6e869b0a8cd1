// One query of one head against every key, feature by feature: the cells, their products, score and weight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/heads/arcs.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {
namespace {

constexpr float kPair = 208, kHeadings = 38, kFooter = 40, kTallestRow = 52, kLowestRow = 19;
constexpr std::int64_t kMostBars = 64;  // features that get a bar each; more are cells of a colour map

struct Table {
  PanelData& data;
  ArcsFocus focus;
  const Neurons& neurons;
  std::int64_t features = 0, keys = 0;
  float pitch = 0, cell_height = 0;
  // Left edges, and right ones of numbers.
  float name_right = 0, cells = 0, strip = 0, products = 0, score = 0, bar = 0, bar_width = 0, weight = 0;
};

// The strips of features fill what names and numbers leave, in whole pixels a feature where there is room.
void place_columns(Ui& ui, Table& table, const Rect& area, float names) {
  const float numbers = ui.px(72) + ui.px(14) + ui.px(60), least_bar = ui.px(40);
  table.name_right = area.min.x + names;
  table.cells = table.name_right + ui.px(8);
  const float gaps = ui.px(8) + ui.px(22) + ui.px(8);
  const float room = area.width() - names - numbers - least_bar - gaps;
  const auto features = static_cast<float>(table.features);
  float strip = std::min(room / 2, features * ui.px(18));
  const float cell = std::floor(strip / features);
  strip = cell >= 1 ? cell * features : std::floor(std::max(strip, ui.px(24)));
  table.strip = strip;
  table.products = table.cells + std::max(strip, ui.px(70)) + ui.px(22);
  table.score = table.products + std::max(strip, ui.px(70)) + ui.px(72);
  table.bar = table.score + ui.px(14);
  table.weight = area.max.x;
  table.bar_width = std::max(0.0f, table.weight - ui.px(62) - table.bar);
}

void draw_headings(Ui& ui, const Table& table, const Rect& area) {
  const float first = area.min.y, second = first + ui.px(17), line = ui.px(18);
  const auto place = [&](float left, float right, float y) { return Rect{{left, y}, {right, y + line}}; };
  const float limit = table.products - ui.px(10);
  text_in(ui, place(table.cells, limit, first), Type::title12, ui.colors.key, "key");
  text_in(ui, place(table.cells, limit, second), Type::words11, ui.colors.text2,
          fmt::format("{} features", table.features));
  text_in(ui, place(table.products, table.score - ui.px(40), first), Type::title12, ui.colors.text, "query · key");
  text_in(ui, place(table.products, table.score - ui.px(60), second), Type::words11, ui.colors.text2, "by feature");
  text_in(ui, place(table.score - ui.px(80), table.score, first), Type::title12, ui.colors.text, "score", 1);
  const Trace& trace = table.data.trace();
  const double root = 1 / (trace.scale * trace.scale);
  const std::string scaled = trace.scale == 1 ? std::string("sum")
                             : std::abs(root - std::round(root)) < 1e-6 * root
                                 ? fmt::format("sum / √{:.0f}", root)
                                 : with_minus_signs(fmt::format("sum × {:.4g}", trace.scale));
  text_in(ui, place(table.score - ui.px(70), table.score, second), Type::words11, ui.colors.text2, scaled, 1);
  text_in(ui, place(table.bar, table.weight, first), Type::title12, ui.colors.text, "weight", 1);
  text_in(ui, place(table.bar, table.weight, second), Type::words11, ui.colors.text2,
          table.bar_width > ui.px(50) ? "softmax over keys" : "softmax", 1);
}

// Rows [first, first + count) of a [rows, features] matrix as cells, a row each `pitch`, covered between the rows.
void draw_cells(Ui& ui, const Table& table, const Tensor& matrix, double largest, float left, float top,
                std::int64_t first, std::int64_t count) {
  HeatmapSpec spec;
  spec.matrix = matrix;
  spec.row0 = static_cast<double>(first);
  spec.rows = static_cast<double>(count);
  spec.columns = static_cast<double>(matrix.dim(1));
  spec.width = static_cast<int>(table.strip);
  spec.height = static_cast<int>(static_cast<float>(count) * table.pitch);
  spec.map = color_map_of(ui, false);
  spec.range = {-largest, largest, false, false};
  spec.theme = ui.settings.theme;
  spec.pixel_scale = static_cast<double>(ui.scale);
  if (spec.width <= 0 || spec.height <= 0) return;
  const TextureId id = ui.textures.heatmap(spec);
  const ImVec2 from{left, top};
  if (id == 0) return;
  canvas().AddImage(compat::texture(id), from,
                    {left + static_cast<float>(spec.width), top + static_cast<float>(spec.height)});
}

void draw_bars(Ui& ui, const Table& table, std::int64_t j, const Rect& row) {
  const float middle = std::round(row.center().y), reach = std::floor(table.pitch * 0.42f);
  const float cell = table.strip / static_cast<float>(table.features);
  const float gap = cell >= 6 ? ui.px(2) : cell >= 3 ? 1.0f : 0.0f;
  horizontal_line(ui, table.products, table.products + table.strip, middle, ui.colors.text3);
  for (std::int64_t d = 0; d < table.features; ++d) {
    const float share = table.neurons.product_shares[static_cast<std::size_t>(j * table.features + d)];
    const float height = std::round(std::abs(share) * reach);
    if (height < 1) continue;
    const float x = table.products + std::round(static_cast<float>(d) * cell);
    const float width =
        std::max(1.0f, std::round(static_cast<float>(d + 1) * cell) - std::round(static_cast<float>(d) * cell) - gap);
    const Rect up{{x, middle - height}, {x + width, middle}},
        down{{x, middle + ui.px(1)}, {x + width, middle + ui.px(1) + height}};
    fill(share > 0 ? up : down, share > 0 ? ui.colors.bar_positive : ui.colors.bar_negative);
  }
}

void draw_numbers(Ui& ui, const Table& table, std::int64_t j, const Rect& row, bool chosen) {
  const auto at = static_cast<std::size_t>(j);
  const Type type = chosen ? Type::mono_bold12 : Type::mono12;
  const Rect score{{table.score - ui.px(72), row.min.y}, {table.score, row.max.y}};
  if (table.neurons.hidden[at]) {
    text_in(ui, score, Type::words12, ui.colors.text3, "hidden", 1);
  } else {
    text_in(ui, score, type, ui.colors.text, number_label(static_cast<double>(table.neurons.scores[at]), 3), 1);
  }
  const double weight = static_cast<double>(table.neurons.weights[at]);
  if (table.bar_width >= ui.px(16)) {
    const float height = std::min(ui.px(12), table.pitch - 2), top = std::round(row.center().y - height / 2);
    fill({{table.bar, top}, {table.bar + table.bar_width, top + height}}, ui.colors.well);
    const double share = std::isfinite(weight) ? std::clamp(weight, 0.0, 1.0) : 0.0;
    const float width = std::round(static_cast<float>(share) * table.bar_width);
    if (share > 0) {
      fill({{table.bar, top}, {table.bar + std::max(1.0f, width), top + height}},
           color_at(color_map_of(ui, true), share));
    }
  }
  text_in(ui, {{table.weight - ui.px(62), row.min.y}, {table.weight, row.max.y}}, type, ui.colors.text,
          number_label(weight, 4), 1);
}

void choose_key(Ui& ui, const Table& table, std::int64_t key) {
  if (key < 0 || key >= table.keys) return;
  select_stage(ui.session.view, StageId::weights);
  ui.session.view.cell = Cell{table.neurons.query, key};
}

void draw_key_row(Ui& ui, const Table& table, std::int64_t j, const Rect& row, const Rect& frame) {
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
  if (table.features <= kMostBars && table.strip >= static_cast<float>(table.features) * 2)
    draw_bars(ui, table, j, row);
  draw_numbers(ui, table, j, row, chosen);
}

// The rows of keys: cells of all that are seen as one texture, the gaps between them covered.
void draw_keys(Ui& ui, const Table& table, const Rect& area) {
  const float content = table.pitch * static_cast<float>(table.keys);
  const Rect scrolled{{area.min.x - ui.px(8), area.min.y}, {area.max.x + ui.px(12), area.max.y}};
  const ScrollArea scroll = begin_scroll(ui, "neurons", scrolled, content > area.height() ? content : 0);
  const auto first = static_cast<std::int64_t>(scroll.offset / table.pitch);
  const auto end = std::min(table.keys, static_cast<std::int64_t>((scroll.offset + area.height()) / table.pitch) + 1);
  if (first >= end) return end_scroll(ui);
  const float top = area.min.y - scroll.offset + static_cast<float>(first) * table.pitch;
  draw_cells(ui, table, table.neurons.key_features, table.neurons.largest_feature, table.cells, top, first,
             end - first);
  const bool cells_of_products = table.features > kMostBars || table.strip < static_cast<float>(table.features) * 2;
  if (cells_of_products) {
    draw_cells(ui, table, table.neurons.products, table.neurons.largest_product, table.products, top, first,
               end - first);
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

void draw_query_row(Ui& ui, const Table& table, const Rect& row) {
  const std::vector<std::string>& names = table.data.rows(StageId::weights);
  text_in(ui, {row.min, {table.name_right, row.max.y}}, Type::mono_bold12, ui.colors.query,
          token_or_index(names, table.neurons.query), 1);
  const float above = std::floor((table.pitch - table.cell_height) / 2);
  draw_cells(ui, table, table.neurons.query_features, table.neurons.largest_feature, table.cells, row.min.y, 0, 1);
  fill({{table.cells, row.min.y}, {table.cells + table.strip, row.min.y + above}}, ui.colors.panel);
  const Rect cells{{table.cells, row.min.y + above},
                   {table.cells + table.strip, row.min.y + above + table.cell_height}};
  fill({{table.cells, cells.max.y}, {cells.max.x, row.max.y}}, ui.colors.panel);
  outline(ui, inset(cells, -ui.px(1)), ui.colors.query, 1);
  text_in(ui, {{cells.max.x + ui.px(8), row.min.y}, {table.score, row.max.y}}, Type::words11, ui.colors.query, "query");
}

void draw_footer(Ui& ui, const Table& table, const Rect& area) {
  const double largest = table.neurons.largest_feature;
  const float width = std::max(table.strip, ui.px(70));
  const Rect bar{{table.cells, area.min.y + ui.px(6)}, {table.cells + width, area.min.y + ui.px(16)}};
  if (largest > 0) color_bar(ui, bar, color_map_of(ui, false), {-largest, largest, false, false}, true);
  text_in(ui, {{table.products, area.min.y}, {table.score, area.min.y + ui.px(22)}}, Type::words11, ui.colors.text3,
          with_minus_signs(fmt::format("largest {:.3g}", table.neurons.largest_product)));
  text_in(ui, {{table.score, area.min.y}, {table.weight, area.min.y + ui.px(22)}}, Type::mono11, ui.colors.text3,
          "row sum " + number_label(table.neurons.weight_sum, 4), 1);
}

// Up and Down walk through the keys, Left and Right through the queries.
void read_keys(Ui& ui, const Table& table) {
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

Rect draw_header(Ui& ui, PanelData& data, const ArcsFocus& focus, const Rect& area, bool beside_arcs) {
  ViewState& view = ui.session.view;
  const std::int64_t query = focus.pair ? focus.pair->row : 0;
  const std::string token = token_or_index(data.rows(StageId::weights), query);
  Rect all = area;
  Rect controls = {{area.min.x, area.min.y}, {area.max.x - ui.px(size::panel_padding), area.max.y}};
  const float top = std::round(area.center().y - ui.px(12));
  controls.min.y = top;
  controls.max.y = top + ui.px(size::control_height);
  if (!beside_arcs) draw_heads_show(ui, controls);
  std::vector<std::string> heads;
  for (std::int64_t head = 0; head < data.trace().num_heads(); ++head) heads.push_back(fmt::format("head {}", head));
  int selected = static_cast<int>(focus.selection.head);
  const Rect place = take_right(controls, ui.px(96), ui.px(10));
  if (combo(ui, "neurons/head", place, heads, selected, {true, false, "The head whose query and keys are shown."},
            Type::words12)) {
    view.head = selected;
  }
  all.max.x = place.min.x;
  const std::string head = fmt::format("head {}, query ", focus.selection.head);
  const Rect rest = panel_header(ui, all, "Neurons", "", static_cast<int>(focus.selection.head));
  Rect line = rest;
  const auto piece = [&](Type type, Rgba color, const std::string& text) {
    if (line.width() < ui.px(20)) return;
    text_in(ui, line, type, color, text);
    line.min.x += std::ceil(text_width(ui, type, text));
  };
  piece(Type::words12, ui.colors.text2, head);
  piece(Type::mono_bold12, ui.colors.query, token);
  piece(Type::words12, ui.colors.text2, " against every key");
  return controls;
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
  Table table{*data, focus, neurons, neurons.key_features.dim(1), trace.key_len()};

  const Inspected pair = pair_of(ui, *data, focus);
  const float where = ui.px(kPair);
  // The pair's steps stand below when some rows of keys stay above them.
  const bool with_pair =
      explains && focus.pair && inner.height() - where > ui.px(kHeadings + kFooter) + 5 * ui.px(kLowestRow);
  Rect body = inner;
  if (with_pair) body.max.y -= where + ui.px(6);
  const float rows = body.height() - ui.px(kHeadings + kFooter + 6);
  table.pitch =
      std::clamp(std::floor(rows / static_cast<float>(table.keys + 1)), ui.px(kLowestRow), ui.px(kTallestRow));
  table.cell_height = std::max(ui.px(9), std::min(ui.px(16), table.pitch - ui.px(4)));
  const float names = std::max(labels_extent(ui, data->columns(StageId::weights), ui.px(84)),
                               labels_extent(ui, {token_or_index(data->rows(StageId::weights), query)}, ui.px(84)));
  place_columns(ui, table, body, std::max(ui.px(44), std::ceil(names * 12 / 11) + ui.px(8)));
  draw_headings(ui, table, {body.min, {body.max.x, body.min.y + ui.px(kHeadings)}});
  float y = body.min.y + ui.px(kHeadings);
  draw_query_row(ui, table, row(body, y, table.pitch));
  y += ui.px(6);
  const float whole_rows = std::floor((body.max.y - ui.px(kFooter) - y) / table.pitch);
  const float below = y + table.pitch * std::min(static_cast<float>(table.keys), std::max(whole_rows, 0.0f));
  const Rect keys{{body.min.x, y}, {body.max.x, below}};
  const Interaction panel = interact_mouse(ui, "inspector/neurons", {{body.min.x, body.min.y}, {body.max.x, y}});
  if (keys.height() >= table.pitch) draw_keys(ui, table, keys);
  draw_footer(ui, table, {{body.min.x, below + ui.px(4)}, body.max});
  if (panel.focused) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, inset(keys, ui.px(1)), ui.px(3));
    read_keys(ui, table);
  }
  if (with_pair) {
    const Rect place{{inner.min.x, inner.max.y - where}, inner.max};
    horizontal_line(ui, area.min.x, area.max.x, place.min.y - ui.px(1), ui.colors.line);
    double& needed = ui.state.number["neurons/explained"];
    const ScrollArea scroll = begin_scroll(ui, "neurons/pair", place, static_cast<float>(needed));
    const Rect moved{{place.min.x, place.min.y - scroll.offset}, {place.max.x - ui.px(8), place.max.y}};
    needed = static_cast<double>(
        draw_explanation(ui, *data, explained_of(pair), moved, place, focus.picked ? "Chosen pair" : "Strongest pair"));
    end_scroll(ui);
  }
  ask_for_rest(ui);
}

}  // namespace headscope::ui

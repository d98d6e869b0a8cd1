#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/explain/explanation.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/stage_facts.h"
#include "app/ui/weights/weights_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/explain/cell_origin.h"

namespace headscope::ui {
namespace {

constexpr float kBox = 52, kCell = 14, kGutter = 40, kAbove = 22;
constexpr std::int64_t kRows = 17;

struct Found {
  CellSource source;
  std::optional<Operand> partner;  // what it is multiplied by
};

std::optional<Found> find(const Trace& trace, const FilePlace& place) {
  const CellOrigin origin = sources_of(trace, place.from.stage, place.from.index);
  for (std::size_t at = 0; at < origin.sources.size(); ++at) {
    const CellSource& source = origin.sources[at];
    if (source.stage || source.name != place.name) continue;
    Found found{source, std::nullopt};
    if (origin.step == CellStep::products && at == 1) {
      // The terms lie along the axis where the factors have more than one cell.
      std::int64_t k = 0;
      for (int axis = 0; axis < source.region.count; ++axis) {
        if (source.region[axis].size() > 1) k = place.index[axis] - source.region[axis].begin;
      }
      const CellSource& left = origin.sources[0];
      Operand partner{left.name, {}, 0, left.role};
      for (const Range& range : left.region) partner.index.push_back(range.begin + (range.size() > 1 ? k : 0));
      partner.value = static_cast<double>(left.tensor.at(partner.index));
      found.partner = partner;
    }
    return found;
  }
  return std::nullopt;
}

// As rows and columns: a vector is one row.
Cell cell_of(const FilePlace& place) {
  const int rank = place.index.count;
  return {rank > 1 ? place.index[rank - 2] : 0, place.index[rank - 1]};
}

Cell sizes_of(const Tensor& tensor) {
  return {tensor.rank() > 1 ? tensor.dim(tensor.rank() - 2) : 1, tensor.dim(tensor.rank() - 1)};
}

// The numbers around the cell, read once: a matrix of the file may be large, and lie in two bytes a number.
const Tensor& window_of(Ui& ui, PanelData& data, const FilePlace& place, const Tensor& tensor, const Range& rows,
                        const Range& columns) {
  ExplainState& state = explain_state(ui);
  const bool known = state.window_version == data.version() && state.window_of == place && !state.window.empty() &&
                     state.window.dim(0) == rows.size() && state.window.dim(1) == columns.size();
  if (known) return state.window;
  Region region;
  for (int axis = 0; axis + 2 < tensor.rank(); ++axis) region.push_back({place.index[axis], place.index[axis] + 1});
  if (tensor.rank() > 1) region.push_back(rows);
  region.push_back(columns);
  std::vector<float> values(static_cast<std::size_t>(rows.size() * columns.size()));
  tensor.read(region, values);
  state.window = Tensor::of({rows.size(), columns.size()}, {Axis::feature, Axis::feature}, std::move(values));
  state.window_of = place;
  state.window_version = data.version();
  return state.window;
}

Range around(std::int64_t at, std::int64_t count, std::int64_t shown) {
  const std::int64_t size = std::min(count, shown);
  const std::int64_t begin = std::clamp<std::int64_t>(at - size / 2, 0, count - size);
  return {begin, begin + size};
}

void write_picture(Writer& to, const FilePlace& place, const CellSource& source) {
  Ui& ui = to.ui;
  const Cell cell = cell_of(place), sizes = sizes_of(source.tensor);
  const float left = to.area.min.x + ui.px(kGutter);
  const auto fitting = static_cast<std::int64_t>(std::floor((to.area.max.x - left) / ui.px(kCell)));
  const Range rows = around(cell.row, sizes.row, kRows);
  const Range columns = around(cell.column, sizes.column, std::max<std::int64_t>(1, fitting));
  const Rect words = to.line(ui.px(22));
  to.y += ui.px(kAbove);
  const ImVec2 at{left, to.y};
  HeatmapView view;
  view.matrix = window_of(ui, to.data, place, source.tensor, rows, columns);
  view.grid.rows = rows.size();
  view.grid.columns = columns.size();
  view.grid.cell_width = view.grid.cell_height = static_cast<double>(ui.px(kCell));
  view.grid.area = {at,
                    {at.x + static_cast<float>(columns.size()) * ui.px(kCell),
                     at.y + static_cast<float>(rows.size()) * ui.px(kCell)}};
  view.weight_like = false;
  view.map = color_map_of(ui, false);
  view.range = automatic_range(view.matrix, false, true, nullptr);
  to.y = view.grid.area.max.y + ui.px(8);
  if (!to.sees(words.min.y, to.y)) return;
  text_in(ui, words, Type::words12, ui.colors.text2,
          fmt::format("{} {}: rows {}–{}, columns {}–{}", place.name, to_string(source.tensor.shape()), rows.begin,
                      rows.end - 1, columns.begin, columns.end - 1));
  draw_heatmap_view(ui, view);
  ui.mark("inspector/where/file", view.grid.area);
  CellGrid labels = view.grid;
  labels.rows = sizes.row;
  labels.columns = sizes.column;
  labels.row0 = static_cast<double>(rows.begin);
  labels.column0 = static_cast<double>(columns.begin);
  draw_row_labels(ui, {{to.area.min.x, at.y}, {left - ui.px(6), view.grid.area.max.y}}, labels, {}, cell.row,
                  ui.colors.text);
  draw_column_labels(ui, {{left, at.y - ui.px(kAbove)}, {view.grid.area.max.x, at.y}}, labels, {}, cell.column,
                     ui.colors.text);
  draw_pick_frame(ui, view.grid.cell_rect(cell.row - rows.begin, cell.column - columns.begin), view.grid.area);
}

void write_way_to_all(Writer& to, const FilePlace& place) {
  Ui& ui = to.ui;
  const Rect line = to.line(ui.px(size::control_height));
  to.y += ui.px(6);
  if (!to.sees(line.min.y, line.max.y)) return;
  const Rect box{line.min, {line.min.x + ui.px(150), line.max.y}};
  if (button(ui, "inspector/where/all_of_it", box, "Show all of it, or edit",
             {true, false, "Shows this number in its tensor, in the view of the layer's weights."})) {
    show_weight(ui, place.name, cell_of(place));
  }
}

}  // namespace

void write_file_place(Writer& to, const FilePlace& place) {
  Ui& ui = to.ui;
  const std::optional<Found> found = find(to.data.trace(), place);
  if (!found) return;
  const auto value = static_cast<double>(found->source.tensor.at(place.index));
  const Rect box = to.line(ui.px(kBox));
  to.y += ui.px(6);
  fill(box, ui.colors.tint, ui.px(size::radius_field));
  outline(ui, box, ui.colors.accent, 1.5f, ui.px(size::radius_field));
  Rect rest{{box.min.x + ui.px(12), box.min.y + ui.px(6)}, {box.max.x - ui.px(12), box.max.y - ui.px(6)}};
  const std::string number = explained_number(value);
  text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::mono_bold20, number)) + 1, ui.px(10)), Type::mono_bold20,
          ui.colors.text, number, 1);
  const float middle = std::round(rest.center().y);
  text_in(ui, {rest.min, {rest.max.x, middle}}, Type::mono_bold12, ui.colors.text, cell_name(place.name, place.index));
  text_in(ui, {{rest.min.x, middle}, rest.max}, Type::words12, ui.colors.text2, "a stored weight: no stage makes it");
  const Operand back{std::string(stage_name(place.from.stage)), place.from.index, 0, SourceRole::context};
  if (found->partner) {
    write_pieces(to, Type::words12, {{"It multiplies ", TextRole::plain}});
    to.y -= ui.px(18);
    Writer beside = to;
    beside.area.min.x += std::ceil(text_width(ui, Type::words12, "It multiplies ")) + ui.px(2);
    write_pieces(beside, Type::mono12,
                 {{cell_name(found->partner->stage, found->partner->index), TextRole::link},
                  {" = " + explained_number(found->partner->value), TextRole::strong}},
                 &*found->partner);
    to.y = beside.y;
  }
  const std::string leads = found->partner ? "in the sum of " : "It is added in ";
  Writer beside = to;
  text_in(ui, {{to.area.min.x, to.y}, {to.area.max.x, to.y + ui.px(18)}}, Type::words12, ui.colors.text2, leads);
  beside.area.min.x += std::ceil(text_width(ui, Type::words12, leads)) + ui.px(2);
  write_pieces(beside, Type::mono12, {{cell_name(back.stage, back.index), TextRole::link}}, &back);
  to.y = beside.y + ui.px(4);
  write_picture(to, place, found->source);
  write_way_to_all(to, place);
}

}  // namespace headscope::ui

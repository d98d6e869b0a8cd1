#include "app/ui/map/axis_labels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "app/ui/shown_name.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/base/minus_sign.h"
#include "core/base/utf8.h"
#include "core/picture/text/labels_apart.h"
#include "core/tensor/parts.h"

namespace headscope::ui {
namespace {

// Of the marked row and column.
constexpr Type kMarked = Type::mono_bold11;

// The smallest step of the series that keeps `spacing` pixels between labels.
std::int64_t label_step(double cell, double spacing, bool powers_of_two) {
  const double least = spacing / std::max(cell, 1e-12);
  if (powers_of_two) {
    std::int64_t step = 1;
    while (static_cast<double>(step) < least && step < (std::int64_t{1} << 60)) step *= 2;
    return step;
  }
  for (std::int64_t ten = 1; ten < std::int64_t{1000000000000000000}; ten *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(ten * digit) >= least) return ten * digit;
    }
  }
  return std::int64_t{1000000000000000000};
}

std::string word_of(const std::vector<std::string>& labels, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  return at < labels.size() ? labels[at] : grouped_digits(index);
}

void draw_box(Ui& ui, const Rect& box, Rgba color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(box.min, box.max, color32(ui.colors.panel), ui.px(size::radius_inner));
  list.AddRect(box.min, box.max, color32(color), ui.px(size::radius_inner), 0, ui.px(1));
}

}  // namespace

std::vector<AxisLabel> axis_labels(const AxisLabelSpec& spec) {
  std::vector<AxisLabel> labels;
  if (spec.count <= 0 || spec.cell <= 0 || spec.extent <= 0) return labels;
  const auto center = [&](std::int64_t index) { return (static_cast<double>(index) + 0.5 - spec.start) * spec.cell; };
  const auto visible = [&](std::int64_t index) { return center(index) >= 0 && center(index) <= spec.extent; };
  const std::int64_t first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(spec.start)));
  const std::int64_t last =
      std::min(spec.count - 1, static_cast<std::int64_t>(std::ceil(spec.start + spec.extent / spec.cell)));
  if (spec.cell >= spec.every_cell_from) {
    for (std::int64_t index = first; index <= last; ++index) {
      if (visible(index)) labels.push_back({index, center(index), true, false});
    }
    return labels;
  }
  const bool boxed = spec.marked >= 0 && spec.marked < spec.count && visible(spec.marked);
  const std::int64_t step = label_step(spec.cell, spec.spacing, spec.powers_of_two);
  for (std::int64_t index = rounded_up(first, step); index <= last; index += step) {
    if (!visible(index)) continue;
    if (boxed && std::abs(center(index) - center(spec.marked)) < spec.boxed_spacing) continue;
    labels.push_back({index, center(index), false, false});
  }
  if (boxed) {
    const auto place =
        std::find_if(labels.begin(), labels.end(), [&](const AxisLabel& label) { return label.index > spec.marked; });
    labels.insert(place, {spec.marked, center(spec.marked), true, true});
  }
  return labels;
}

std::string shortened_to(Ui& ui, Type type, const Words& words, float width) {
  const std::string whole(said(ui, type, words, width));
  // A long token is never measured whole.
  std::string cut(beginning_of(whole));
  if (cut.size() == whole.size() && text_width(ui, type, given(whole)) <= width) return whole;
  const std::string dots = "…";
  const auto beginning = [&](std::size_t most) { return cut.substr(0, previous_grapheme(cut, most + 1)); };
  std::size_t fits = 0;
  for (std::size_t most = cut.size() > 0 ? cut.size() - 1 : 0; fits < most;) {  // bisected: few are measured
    const std::size_t middle = (fits + most + 1) / 2;
    if (text_width(ui, type, given(beginning(middle) + dots)) <= width) {
      fits = middle;
    } else {
      most = middle - 1;
    }
  }
  cut = beginning(fits);
  return cut.empty() && text_width(ui, type, given(dots)) > width ? std::string() : cut + dots;
}

float labels_extent(Ui& ui, const std::vector<std::string>& labels, float longest) {
  float extent = 0;
  for (const std::string& label : labels) {
    extent = std::max(extent, label.size() > 256 ? longest : text_width(ui, Type::mono11, given(label)));
    if (extent >= longest) return longest;
  }
  return extent;
}

namespace {

// Returns the words that are written at each of the labels: names that differ still differ where they are cut.
std::vector<std::string> words_apart(Ui& ui, const std::vector<AxisLabel>& places,
                                     const std::vector<std::string>& labels, float width) {
  LabelFit fit;
  fit.width = static_cast<double>(width);
  fit.width_of = [&ui](std::string_view text) {
    return static_cast<double>(text_width(ui, Type::mono11, given(text)));
  };
  fit.cut_at_end = [&ui, width](const std::string& text) { return shortened_to(ui, Type::mono11, text, width); };
  std::vector<AxisName> names;
  for (const AxisLabel& place : places) {
    names.push_back({place.index, place.named ? word_of(labels, place.index) : grouped_digits(place.index)});
  }
  return labels_apart(names, fit);
}

struct MarkedRow {
  std::int64_t row = -1;  // -1: none
  Rgba color;
};

// `thinned`: where cells are too low for text, some are named by their index.
void draw_labels_of_rows(Ui& ui, const Rect& gutter, const CellGrid& grid, const std::vector<std::string>& labels,
                         const MarkedRow& mark, bool thinned) {
  if (grid.empty()) return;
  AxisLabelSpec spec;
  spec.start = grid.row0;
  spec.cell = grid.cell_height;
  spec.extent = grid.area.height();
  spec.count = grid.rows;
  spec.every_cell_from = ui.px(11);
  spec.spacing = spec.boxed_spacing = ui.px(20);
  spec.powers_of_two = labels.empty();
  spec.marked = mark.row;
  const std::vector<AxisLabel> places = axis_labels(spec);
  const std::vector<std::string> words = words_apart(ui, places, labels, gutter.width());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const AxisLabel& label = places[k];
    const float y = grid.area.min.y + static_cast<float>(label.center);
    const Rect line{{gutter.min.x, std::round(y - ui.px(8))}, {gutter.max.x, std::round(y - ui.px(8)) + ui.px(16)}};
    const bool is_marked = label.index == mark.row;
    if (!thinned && !label.named) continue;
    const std::string& word = words[k];
    if (label.boxed) {
      const std::string shown = shortened_to(ui, Type::mono11, word, line.width() - ui.px(10));
      const float width = text_width(ui, Type::mono11, given(shown));
      draw_box(ui, {{line.max.x - width - ui.px(8), line.min.y}, {line.max.x + ui.px(2), line.max.y}}, mark.color);
      text_in(ui, {line.min, {line.max.x - ui.px(3), line.max.y}}, Type::mono11, mark.color, given(shown), 1);
    } else {
      const Type type = is_marked ? kMarked : Type::mono11;
      text_in(ui, line, type,
              is_marked     ? mark.color
              : label.named ? ui.colors.text2
                            : ui.colors.text3,
              given(shortened_to(ui, type, word, line.width())), 1);
    }
  }
}

}  // namespace

void draw_row_labels(Ui& ui, const Rect& gutter, const CellGrid& grid, const std::vector<std::string>& labels,
                     std::int64_t marked, Rgba mark_color) {
  draw_labels_of_rows(ui, gutter, grid, labels, {marked, mark_color}, true);
}

void draw_named_row_labels(Ui& ui, const Rect& gutter, const CellGrid& grid, const std::vector<std::string>& labels,
                           std::int64_t marked, Rgba mark_color) {
  draw_labels_of_rows(ui, gutter, grid, labels, {marked, mark_color}, false);
}

void draw_column_labels(Ui& ui, const Rect& above, const CellGrid& grid, const std::vector<std::string>& labels,
                        std::int64_t marked, Rgba mark_color) {
  if (grid.empty()) return;
  AxisLabelSpec spec;
  spec.start = grid.column0;
  spec.cell = grid.cell_width;
  spec.extent = grid.area.width();
  spec.count = grid.columns;
  const float digits = text_width(ui, Type::mono11, grouped_digits(grid.columns - 1)) + ui.px(8);
  const float bottom = above.max.y - ui.px(6), height = bottom - above.min.y;
  // Names stand upright where there is room for more than their first letters; else there are numbers, lying.
  const bool upright = !labels.empty() && (height >= ui.px(40) || labels_extent(ui, labels, ui.px(40)) <= height);
  spec.every_cell_from = upright ? ui.px(11) : digits;
  spec.spacing = std::max(ui.px(28), digits);
  spec.boxed_spacing = ui.px(50);
  spec.powers_of_two = labels.empty();
  spec.marked = marked;
  const std::vector<AxisLabel> places = axis_labels(spec);
  const std::vector<std::string> words = words_apart(ui, places, labels, height);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const AxisLabel& label = places[k];
    const float x = grid.area.min.x + static_cast<float>(label.center);
    const bool is_marked = label.index == marked;
    const std::string index = grouped_digits(label.index);
    // An index lies flat, so that the height that names stand in does not cut it.
    const std::string word = labels.empty() || !label.named ? index
                             : label.boxed                  ? word_of(labels, label.index)
                             : upright                      ? words[k]
                                                            : index;
    if (label.named && !label.boxed && upright) {
      const Type type = is_marked ? kMarked : Type::mono11;
      text_up(ui, {std::round(x - ui.px(7)), bottom}, type, is_marked ? mark_color : ui.colors.text2,
              given(shortened_to(ui, type, word, height)));
      continue;
    }
    const bool both = label.boxed && !labels.empty() && word != index;
    const std::string shown = shortened_to(ui, Type::mono11, both ? index + " " + word : word, ui.px(84));
    const float width = std::ceil(text_width(ui, Type::mono11, given(shown))) + 1, half = width / 2;
    const float middle = std::clamp(x, grid.area.min.x + half - ui.px(4),
                                    std::max(grid.area.min.x + half, grid.area.max.x - half + ui.px(14)));
    const float left = std::round(middle - half);
    const Rect line{{left, bottom - ui.px(14)}, {left + width, bottom + ui.px(2)}};
    if (label.boxed) {
      draw_box(ui, {{line.min.x - ui.px(5), line.min.y}, {line.max.x + ui.px(5), line.max.y}}, mark_color);
    } else {
      ImGui::GetWindowDrawList()->AddLine({std::round(x) + 0.5f, above.max.y - ui.px(4)},
                                          {std::round(x) + 0.5f, above.max.y}, color32(ui.colors.text3), ui.px(1));
    }
    text_in(ui, line, Type::mono11, is_marked ? mark_color : ui.colors.text3, given(shown), 0.5f);
  }
}

}  // namespace headscope::ui

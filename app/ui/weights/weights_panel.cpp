#include "app/ui/weights/weights_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kList = 320, kNarrowList = 250, kNarrowBelow = 1200, kRow = 46;
constexpr const char* kScroll = "weights/list";

std::string list_name(const WeightTensor& tensor) {
  return "weights/tensor/" + tensor.name;
}

void draw_weights_header(Ui& ui, const WeightsData& data, const Rect& area) {
  const ModelTrace* model = data.trace->model.get();
  const std::string fact = model != nullptr ? fmt::format("layer {} of {}", data.trace->inputs->layer, model->name)
                                            : data.trace->inputs->weights.source;
  Rect line = panel_header(ui, area, "", fact);
  std::int64_t numbers = 0;
  for (const WeightTensor& tensor : data.tensors) numbers += element_count(tensor.tensor.shape());
  say_finding(ui, MainView::weights,
              fmt::format("The layer has {} {} with {} numbers.", data.tensors.size(),
                          data.tensors.size() == 1 ? "tensor" : "tensors", grouped_digits(numbers)));
  line.min.y = std::round(line.center().y - ui.px(12));
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "weights/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  if (model == nullptr || model->layers.size() < 2) return;
  std::int64_t layer = data.trace->inputs->layer;
  if (stepper(ui, "weights/layer", take_right(line, ui.px(92), ui.px(6)), layer,
              {.low = 0, .high = static_cast<std::int64_t>(model->layers.size()) - 1},
              {true, false, "Which layer is shown, here and in the other views."})) {
    ui.session.end_undo_step();
    ui.session.draft.layer = layer;
  }
  const std::string words = "layer";
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, words)) + 1, ui.px(14)), Type::words12,
          ui.colors.text2, words, 1);
}

void pick(Ui& ui, const WeightsData& data, std::size_t at) {
  WeightsView& view = ui.session.view.weights;
  if (view.tensor == data.tensors[at].name) return;
  view.tensor = data.tensors[at].name;
  view.cell.reset();
  view.viewport = {};
  ui.state.wants_frame = true;
}

// One tensor of the list: its name, its shape, how many of its numbers are edited.
void draw_row(Ui& ui, const WeightsData& data, std::size_t k, const Rect& row) {
  const WeightTensor& tensor = data.tensors[k];
  const bool selected = k == data.at;
  const Interaction it = interact(ui, list_name(tensor), row, {true, false, "Shows this tensor."});
  if (selected) {
    fill(row, ui.colors.tint);
    fill({row.min, {row.min.x + ui.px(3), row.max.y}}, ui.colors.accent);
  } else if (it.hovered) {
    fill(row, ui.colors.hover);
  }
  if (it.focused && ui.state.focus_by_keyboard) outline(ui, inset(row, ui.px(2)), ui.colors.accent, 2, ui.px(3));
  Rect words{{row.min.x + ui.px(size::panel_padding), row.min.y + ui.px(5)},
             {row.max.x - ui.px(size::panel_padding), row.max.y - ui.px(5)}};
  const float middle = std::round(words.center().y);
  const Type type = selected ? Type::mono_bold12 : Type::mono12;
  text_in(ui, {words.min, {words.max.x, middle}}, type, ui.colors.text,
          ending_of(ui, type, tensor.name, words.width()));
  const Rect second{{words.min.x, middle}, words.max};
  text_in(ui, second, Type::mono11, ui.colors.text2, to_string(tensor.tensor.shape()));
  const std::size_t edits = data.edits(tensor.name).size();
  if (edits > 0) {
    const std::string count = fmt::format("{} edited", edits);
    text_in(ui, second, Type::words11, ui.colors.accent, count, 1);
    ui.mark(list_name(tensor) + "/" + count, second);
  }
  if (it.clicked) pick(ui, data, k);
  if (!it.focused) return;
  const auto step = [&](KeyName key, std::size_t to) {
    if (!ui.take_key(key) || to >= data.tensors.size()) return;
    pick(ui, data, to);
    ui.state.focus = list_name(data.tensors[to]);
  };
  step(KeyName::down, k + 1);
  step(KeyName::up, k - 1);  // of the first one: beyond the last
}

void draw_list(Ui& ui, const WeightsData& data, const Rect& area) {
  const float content = ui.px(kRow) * static_cast<float>(data.tensors.size()) + ui.px(90);
  const ScrollArea scroll = begin_scroll(ui, kScroll, area, content > area.height() ? content : 0);
  float y = area.min.y - scroll.offset;
  for (std::size_t k = 0; k < data.tensors.size(); ++k) {
    draw_row(ui, data, k, {{area.min.x, y}, {area.max.x, y + ui.px(kRow)}});
    y += ui.px(kRow);
  }
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  paragraph(ui, {{left, y + ui.px(10)}, {right, y}}, Type::words11, ui.colors.text3,
            "Names and axes are those of the file. An edit is part of the request, is listed under Interventions and "
            "can be undone; the file stays as it is.");
  end_scroll(ui);
}

}  // namespace

void show_weight(Ui& ui, const std::string& tensor, Cell cell) {
  WeightsView& view = ui.session.view.weights;
  view.tensor = tensor;
  view.cell = cell;
  view.viewport = {};
  ui.session.view.main_view = MainView::weights;
  ui.state.panels.get<WeightsJump>().wanted = true;
  ui.state.focus = kWeightsPicture;
  ui.state.wants_frame = true;
}

void draw_weights_panel(Ui& ui, const Rect& area) {
  ui.mark("weights", area);
  if (!has_weights(ui)) return;
  WeightsData& data = weights_data(ui);
  const float header = ui.px(size::panel_header);
  draw_weights_header(ui, data, {area.min, {area.max.x, area.min.y + header}});
  Rect rest{{area.min.x, area.min.y + header}, area.max};
  horizontal_line(ui, rest.min.x, rest.max.x, rest.min.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  const bool narrow = area.width() < ui.px(kNarrowBelow);
  const Rect list = take_left(rest, ui.px(narrow ? kNarrowList : kList), 0);
  draw_list(ui, data, list);
  vertical_line(ui, list.max.x, list.min.y, list.max.y, ui.colors.line);
  const float padding = ui.px(size::panel_padding);
  draw_weights_map(ui, data, {{rest.min.x + padding, rest.min.y + ui.px(8)}, {rest.max.x - padding, rest.max.y}});
}

}  // namespace headscope::ui

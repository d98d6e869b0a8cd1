#include "app/ui/dialogs/capture_hint.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// tests/assets/capture runs these lines as they stand here.
constexpr std::string_view kLines = R"(import numpy, torch
with torch.no_grad():
    layers = model(**inputs, output_attentions=True).attentions
weights = torch.stack(layers).float().cpu().numpy()
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
numpy.savez("attention.npz", weights=weights, tokens=tokens)
)";

constexpr float kSquare = 26, kOffset = 4;

// Heads one behind the other, each a matrix of queries by keys; the first cell of the front one is filled.
void draw_heads(Ui& ui, ImVec2 at, float square) {
  for (int head = 2; head >= 0; --head) {
    const float by = ui.px(kOffset) * static_cast<float>(head);
    const Rect matrix{{at.x + by, at.y + ui.px(2 * kOffset) - by},
                      {at.x + by + square, at.y + ui.px(2 * kOffset) - by + square}};
    fill(matrix, ui.colors.raised);
    outline(ui, matrix, head == 0 ? ui.colors.accent : ui.colors.text3, 1);
    if (head > 0) continue;
    const float third = std::round(square / 3);
    horizontal_line(ui, matrix.min.x, matrix.max.x, matrix.min.y + third, ui.colors.text3);
    vertical_line(ui, matrix.min.x + third, matrix.min.y, matrix.max.y, ui.colors.text3);
  }
}

// One shape: stacks of heads, `layers` of them across and `items` of the batch down, and its axes below.
struct DrawnShape {
  const char* axes;
  float width;  // at 1x
  int layers = 1, items = 1;
};
constexpr DrawnShape kShapes[] = {
    {"[heads, q, k]", 96, 1, 1}, {"[layers, heads, q, k]", 150, 3, 1}, {"[layers, batch, heads, q, k]", 136, 3, 2}};

void draw_shape(Ui& ui, const Rect& area, const DrawnShape& shape) {
  const float square = ui.px(shape.items > 1 ? kSquare * 0.6f : kSquare);
  const float step = std::round(square + ui.px(2 * kOffset + 4));
  for (int item = 0; item < shape.items; ++item) {
    for (int layer = 0; layer < shape.layers; ++layer) {
      draw_heads(ui, {area.min.x + step * static_cast<float>(layer), area.min.y + step * static_cast<float>(item)},
                 square);
    }
  }
  const float below = area.min.y + ui.px(62);
  // Five axes need two lines.
  const std::string_view axes = shape.axes;
  const std::size_t cut = axes.size() > 22 ? axes.find("heads") : axes.size();
  text_in(ui, {{area.min.x, below}, {area.max.x, below + ui.px(15)}}, Type::mono11, ui.colors.text2,
          axes.substr(0, cut));
  if (cut < axes.size()) {
    text_in(ui, {{area.min.x + ui.px(7), below + ui.px(15)}, {area.max.x, below + ui.px(30)}}, Type::mono11,
            ui.colors.text2, axes.substr(cut));
  }
}

}  // namespace

std::string_view capture_lines() {
  return kLines;
}

void draw_capture_hint(Ui& ui, const Rect& area) {
  ui.mark("open/capture", area);
  horizontal_line(ui, area.min.x, area.max.x, area.min.y, ui.colors.line);
  Rect inner = inset(area, ui.px(14));
  const Rect code = take_right(inner, std::min(ui.px(476), inner.width()), ui.px(14));
  // No line of code is cut; the words and pictures beside it have what is left.
  const float room = inner.width();
  text_in(ui, {inner.min, {inner.max.x, inner.min.y + ui.px(16)}}, Type::title12, ui.colors.text,
          fitting_words(ui, Type::title12, room, {"A capture: attention of any other program", "A capture", ""}));
  text_in(ui, {{inner.min.x, inner.min.y + ui.px(18)}, {inner.max.x, inner.min.y + ui.px(34)}}, Type::words12,
          ui.colors.text2,
          fitting_words(ui, Type::words12, room,
                        {".npy or .npz of weights after the softmax; q by k in each head:",
                         ".npy or .npz of weights, q by k:", ".npy or .npz of weights", ""}));
  float x = inner.min.x;
  for (const DrawnShape& shape : kShapes) {
    if (x + ui.px(shape.width) > inner.max.x + ui.px(8)) break;
    draw_shape(ui, {{x, inner.min.y + ui.px(46)}, {x + ui.px(shape.width), inner.max.y}}, shape);
    x += ui.px(shape.width);
  }
  fill(code, ui.colors.well, ui.px(size::radius_field));
  outline(ui, code, ui.colors.line, 1, ui.px(size::radius_field));
  const float side = ui.px(24);
  const Rect copy{{code.max.x - side - ui.px(6), code.min.y + ui.px(6)},
                  {code.max.x - ui.px(6), code.min.y + ui.px(6) + side}};
  const ControlState state{ui.set_clipboard != nullptr, false,
                           "Copies these lines: they write attention.npz with its tokens, from a model of transformers "
                           "that was loaded with attn_implementation=\"eager\"."};
  if (icon_button(ui, "open/capture/copy", copy, Icon::copy, state)) ui.set_clipboard(std::string(kLines));
  float y = code.min.y + ui.px(12);
  for (std::string_view rest = kLines; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    text_in(ui, {{code.min.x + ui.px(10), y}, {code.max.x - ui.px(8), y + ui.px(18)}}, Type::mono11, ui.colors.text,
            rest.substr(0, end));
    y += ui.px(20);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
}

}  // namespace headscope::ui

#include <cmath>

#include "app/ui/inspector_parts.h"
#include "app/ui/shared_marks.h"
#include "app/ui/where_from.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 36, kRow = 21, kBelow = 8;

std::vector<WhereStep> steps_of(const Inspected& inspected) {
  if (!inspected.shown) return {};
  const Cell cell = *inspected.shown;
  return where_from(inspected.data.trace(), inspected.stage, inspected.batch, inspected.slice, cell,
                    token_or_index(inspected.rows, cell.row), token_or_index(inspected.columns, cell.column));
}

Rgba role_color(const Ui& ui, TextRole role) {
  switch (role) {
    case TextRole::query:
      return ui.colors.query;
    case TextRole::key:
      return ui.colors.key;
    default:
      return ui.colors.text2;
  }
}

// Of the whole expression, for the clipboard.
std::string steps_as_text(const std::vector<WhereStep>& steps) {
  std::string text;
  for (const WhereStep& step : steps) {
    text += step.name + '\t';
    for (const RoleText& part : step.expression) text += part.text;
    text += '\t' + step_number(step.value) + '\n';
  }
  return text;
}

void draw_step(Ui& ui, const WhereStep& step, const Rect& line, bool last) {
  if (last) fill(line, ui.colors.tint, ui.px(size::radius_inner));
  Rect rest{{line.min.x + ui.px(6), line.min.y}, {line.max.x - ui.px(6), line.max.y}};
  const Type name_type = last ? Type::mono_bold12 : Type::mono12;
  const std::string result = step_number(step.value);
  const float result_width = std::ceil(text_width(ui, name_type, result)) + 1;
  text_in(ui, take_right(rest, result_width, ui.px(8)), name_type, ui.colors.text, result, 1);
  text_in(ui, {rest.min, {rest.min.x + ui.px(128), rest.max.y}}, name_type, last ? ui.colors.text : ui.colors.text2,
          step.name);
  rest.min.x += ui.px(132);
  for (const RoleText& part : step.expression) {
    if (rest.width() < ui.px(12)) return;
    const float width = std::ceil(text_width(ui, Type::mono12, part.text));
    text_in(ui, {rest.min, {std::min(rest.max.x, rest.min.x + width + 1), rest.max.y}}, Type::mono12,
            role_color(ui, part.role), part.text);
    rest.min.x += width;
  }
}

}  // namespace

float where_height(Ui& ui, const Inspected& inspected) {
  const auto rows = static_cast<float>(std::max<std::size_t>(1, steps_of(inspected).size()));
  return ui.px(kTitle) + rows * ui.px(kRow) + ui.px(kBelow);
}

void draw_where(Ui& ui, const Inspected& inspected, const Rect& area, const std::string& named) {
  const std::vector<WhereStep> steps = steps_of(inspected);
  ui.mark("inspector/where", area);
  Rect title{area.min, {area.max.x, area.min.y + ui.px(kTitle)}};
  const Rect copy = take_right(title, ui.px(26), ui.px(6));
  const std::string usual = area.width() < ui.px(400) ? "Where from" : "Where this number comes from";
  section_title(ui, title, named.empty() ? usual : named,
                inspected.shown ? cell_address(inspected, *inspected.shown) : "");
  float y = title.max.y - ui.px(2);
  if (steps.empty()) {
    text_in(ui, row(area, y, ui.px(kRow)), Type::words12, ui.colors.text2, "Click a cell to see how it was computed.");
    return;
  }
  const float top = std::round(copy.center().y - ui.px(12));
  const bool exact = !inspected.data.trace().preview;
  if (icon_button(ui, "inspector/where/copy", {{copy.min.x, top}, {copy.max.x, top + ui.px(24)}}, Icon::copy,
                  {ui.set_clipboard != nullptr && exact, false,
                   exact ? "Copy these steps as text." : "The exact numbers of the last edit are not there yet."}) &&
      ui.set_clipboard) {
    ui.set_clipboard(steps_as_text(steps));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    draw_step(ui, steps[i], row(area, y, ui.px(kRow)), i + 1 == steps.size());
  }
}

}  // namespace headscope::ui

// The formula of a number, typeset: fractions, sums with bounds, indices. The step under the mouse, or with the focus,
// is lit in it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/ui/explain/explanation.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text/formula_layout.h"

namespace headscope::ui {
namespace {

constexpr float kPad = 10, kLit = 3;

Type type_of(FormulaType type) {
  switch (type) {
    case FormulaType::words:
      return Type::words13;
    case FormulaType::name:
    case FormulaType::number:
      return Type::mono12;
    case FormulaType::script:
      return Type::mono11;
    case FormulaType::big:
      return Type::words16;
  }
  return Type::words13;
}

Rgba color_of(const Ui& ui, FormulaRole role) {
  switch (role) {
    case FormulaRole::query:
      return ui.colors.query;
    case FormulaRole::key:
      return ui.colors.key;
    case FormulaRole::value:
      return ui.colors.value;
    case FormulaRole::dim:
      return ui.colors.text3;
    case FormulaRole::plain:
      break;
  }
  return ui.colors.text;
}

FormulaFonts window_fonts(Ui& ui) {
  FormulaFonts fonts;
  fonts.unit = static_cast<double>(ui.scale);
  fonts.width = [&ui](FormulaType type, std::string_view text) {
    return static_cast<double>(text_width(ui, type_of(type), text));
  };
  // As pictures have them: lines of a formula are close.
  fonts.ascent = [&ui](FormulaType type) { return formula_size(type) * static_cast<double>(ui.scale) * 0.82; };
  fonts.descent = [&ui](FormulaType type) { return formula_size(type) * static_cast<double>(ui.scale) * 0.24; };
  return fonts;
}

// The term that a step lights in the formula of `cell`: its own, or what an earlier cell's steps made.
std::string lit_term(Ui& ui, const Explanation& cell) {
  const std::optional<LitStep>& lit = ui.state.panels.get<LitStepState>().lit;
  if (!lit) return "";
  return lit->of == CellPlace{cell.stage, cell.index} ? lit->name : kSourceTerm;
}

Rect moved(const FormulaRect& place, ImVec2 origin) {
  const float x = origin.x + static_cast<float>(place.x), y = origin.y + static_cast<float>(place.y);
  return {{x, y}, {x + static_cast<float>(place.width), y + static_cast<float>(place.height)}};
}

void draw_formula(Ui& ui, const FormulaLayout& layout, ImVec2 origin, const std::string& lit) {
  for (const FormulaTerm& term : layout.terms) {
    if (lit.empty() || term.term != lit) continue;
    const Rect place = inset(moved(term.place, origin), -ui.px(kLit));
    fill(place, ui.colors.tint, ui.px(size::radius_control));
    outline(ui, place, ui.colors.accent, 1.5f, ui.px(size::radius_control));
    ui.mark("inspector/where/lit/" + term.term, place);
  }
  for (const FormulaRect& bar : layout.bars) {
    const Rect place = moved(bar, origin);
    const ImVec2 from{std::round(place.min.x), std::round(place.min.y)};
    fill({from,
          {from.x + std::max(1.0f, std::round(place.width())), from.y + std::max(1.0f, std::round(place.height()))}},
         ui.colors.text2);
  }
  for (const FormulaGlyphs& glyphs : layout.glyphs) {
    const Type type = type_of(glyphs.type);
    const float ascent = ui.fonts.ascent[static_cast<int>(type)];
    const ImVec2 at{origin.x + static_cast<float>(glyphs.x),
                    std::round(origin.y + static_cast<float>(glyphs.baseline)) - ascent};
    text(ui, at, type, color_of(ui, glyphs.role), given(glyphs.text));
  }
}

// The bias in a sum leads to its cell of the weights file.
void link_bias(Writer& to, const FormulaLayout& layout, ImVec2 origin, const Operand& bias) {
  for (const FormulaTerm& term : layout.terms) {
    if (term.term != "+ bias") continue;
    const Rect place = inset(moved(term.place, origin), -to.ui.px(2));
    const Interaction mouse =
        interact_mouse(to.ui, fmt::format("inspector/where/{}", cell_name(bias.stage, bias.index)), place,
                       {true, false, "Show this number in its own tensor."}, false);
    if (mouse.hovered) horizontal_line(to.ui, place.min.x, place.max.x, place.max.y, to.ui.colors.accent);
    if (mouse.clicked) jump_to_operand(to.ui, to.data.trace(), bias, to.place);
  }
}

void write_letters(Writer& to, const Formula& formula) {
  std::vector<RoleText> pieces;
  for (const FormulaLetter& letter : formula.letters) {
    if (!pieces.empty()) pieces.push_back({"  ·  ", TextRole::plain});
    if (!letter.letter.empty()) pieces.push_back({letter.letter + " ", TextRole::strong});
    pieces.push_back({letter.meaning, TextRole::plain});
  }
  if (!pieces.empty()) write_pieces(to, Type::words11, pieces);
}

}  // namespace

void write_typeset(Writer& to, const Explanation& cell, const Formula& formula, const Operand* bias) {
  Ui& ui = to.ui;
  const float pad = ui.px(kPad), room = to.area.width() - 2 * pad;
  const FormulaLayout layout = formula_layout(formula, window_fonts(ui), static_cast<double>(room));
  const Rect box = to.line(std::ceil(static_cast<float>(layout.height)) + 2 * pad);
  to.y += ui.px(4);
  if (to.sees(box.min.y, box.max.y)) {
    fill(box, ui.colors.well, ui.px(size::radius_field));
    outline(ui, box, ui.colors.line, 1, ui.px(size::radius_field));
    ui.mark("inspector/where/formula", box);
    const float spare = std::max(0.0f, room - static_cast<float>(layout.width));
    const ImVec2 origin{std::round(box.min.x + pad + spare / 2), box.min.y + pad};
    draw_formula(ui, layout, origin, lit_term(ui, cell));
    if (bias != nullptr) link_bias(to, layout, origin, *bias);
  }
  write_letters(to, formula);
}

}  // namespace headscope::ui

#include "app/ui/script/script_lines.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/script/code_pieces.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 44;
constexpr float kAfter = 24;  // behind the longest line
constexpr float kShape = 130, kValues = 230, kScrollBar = 14;
constexpr float kLeastCode = 460;  // beside the values

// How wide the longest line is.
float widest_line(Ui& ui, const ShownScript& script) {
  ShownScript& kept = *ui.state.panels.get<ScriptState>().shown;
  if (kept.widest_at != ui.scale) {
    kept.widest_at = ui.scale;
    kept.widest = 0;
    for (const std::string_view line : script.lines) {
      const bool title = line.starts_with("# ---- ") || line.starts_with("% ---- ");
      kept.widest = std::max(kept.widest, text_width(ui, title ? Type::mono_bold12 : Type::mono12, line));
    }
  }
  return kept.widest;
}

Rgba color_of(const Ui& ui, CodePiece::Kind kind) {
  switch (kind) {
    case CodePiece::Kind::keyword:
      return ui.colors.accent;
    case CodePiece::Kind::text:
      return ui.colors.ok;
    case CodePiece::Kind::number:
      return ui.colors.value;
    case CodePiece::Kind::comment:
      return ui.colors.text3;
    case CodePiece::Kind::heading:
      return ui.colors.text2;
    case CodePiece::Kind::plain:
      break;
  }
  return ui.colors.text;
}

void draw_code(Ui& ui, const Rect& place, std::string_view line, ScriptLanguage language) {
  float x = place.min.x;
  for (const CodePiece& piece : code_pieces(line, language)) {
    const Type type = piece.kind == CodePiece::Kind::heading ? Type::mono_bold12 : Type::mono12;
    const std::string_view words = line.substr(piece.begin, piece.end - piece.begin);
    text(ui, {x, text_top(ui, type, place.center().y)}, type, color_of(ui, piece.kind), words);
    x += text_width(ui, type, words);
  }
}

// As many of the numbers as have room: a number whose end is cut is another number.
std::string whole_numbers(Ui& ui, std::string numbers, float width) {
  constexpr std::string_view kMore = "  …", kBetween = "  ";
  while (text_width(ui, Type::mono11, numbers) > width) {
    if (numbers.ends_with(kMore)) numbers.resize(numbers.size() - kMore.size());
    const std::size_t last = numbers.rfind(kBetween);
    if (last == numbers.npos) return "";
    numbers.resize(last);
    numbers += kMore;
  }
  return numbers;
}

// Shape and first numbers of the tensor that a line makes.
void draw_values(Ui& ui, const LineValues& values, Rect place) {
  const std::string name = "script/values/" + std::string(stage_name(values.stage));
  const std::string tip = "The first numbers of " + std::string(stage_name(values.stage)) + ": " + values.row + ".";
  interact_mouse(ui, name, place, {true, false, tip.c_str()}, false);
  text_in(ui, take_left(place, std::min(ui.px(kShape), place.width()), ui.px(10)), Type::mono11, ui.colors.text2,
          values.shape);
  text_in(ui, place, Type::mono11, ui.colors.text, whole_numbers(ui, values.values, place.width()));
}

}  // namespace

float script_code_width(Ui& ui, const ShownScript& script) {
  return ui.px(kGutter) + widest_line(ui, script) + ui.px(kAfter);
}

float script_values_width(const Ui& ui, const Rect& code) {
  const float all = ui.px(kShape + 10 + kValues + kScrollBar), shape = ui.px(kShape + 10 + kScrollBar);
  if (code.width() - all >= ui.px(kLeastCode)) return all;
  return code.width() - shape >= ui.px(kLeastCode) ? shape : 0;
}

void find_script_values(const Ui& ui, const Trace& trace, ShownScript& script) {
  const Selection at = selection_of(ui.session.view, trace);
  const std::array<std::int64_t, 3> wanted{at.batch, at.head, at.cell ? at.cell->row : 0};
  if (script.values_of == wanted) return;
  script.values_of = wanted;
  script.values.clear();
  for (std::int64_t line = 0; line < std::ssize(script.lines); ++line) {
    const auto stage = stage_of_line(script.lines[static_cast<std::size_t>(line)], script.language);
    if (!stage || trace.find(*stage) == nullptr) continue;
    script.values.emplace(line, line_values(trace, *stage, wanted[0], wanted[1], wanted[2]));
  }
}

void draw_script_lines(Ui& ui, const ShownScript& script, const ScriptPlace& place, const ScriptSection* marked) {
  const Rect& area = place.area;
  const float edge = area.min.x + ui.px(kGutter - 6);  // the numbers of the lines stay
  const float split = area.max.x - place.beside, pitch = ui.px(kScriptLine);
  const auto first = static_cast<std::int64_t>(place.offset / pitch);
  for (std::int64_t k = first; k < std::ssize(script.lines); ++k) {
    const float y = area.min.y - place.offset + static_cast<float>(k) * pitch;
    if (y > area.max.y) break;
    const Rect line{{area.min.x, y}, {area.max.x, y + pitch}};
    const std::string_view words = script.lines[static_cast<std::size_t>(k)];
    const bool inside =
        marked != nullptr && k >= marked->begin && k < marked->end && !(words.empty() && k + 1 == marked->end);
    if (inside) {
      fill(line, ui.colors.tint);
      fill({line.min, {line.min.x + ui.px(3), line.max.y}}, ui.colors.accent);
    }
    text_in(ui, {line.min, {line.min.x + ui.px(kGutter - 12), line.max.y}}, Type::mono11, ui.colors.text3,
            std::to_string(k + 1), 1);
    canvas().PushClipRect({edge, line.min.y}, {split, line.max.y}, true);
    draw_code(ui, {{line.min.x + ui.px(kGutter) - place.across, line.min.y}, {split, line.max.y}}, words,
              script.language);
    canvas().PopClipRect();
    const auto values = script.values.find(k);
    if (place.beside > 0 && values != script.values.end()) {
      draw_values(ui, values->second, {{split + ui.px(10), line.min.y}, {line.max.x - ui.px(kScrollBar), line.max.y}});
    }
  }
  if (place.beside > 0) vertical_line(ui, split, area.min.y, area.max.y, ui.colors.line);
}

}  // namespace headscope::ui

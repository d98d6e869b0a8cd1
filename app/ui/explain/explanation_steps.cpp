// How the number is computed: its formula, and a row for each step.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "app/ui/explain/explanation.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 21, kName = 128;

// "17 = 2 · 8 + 1": why that column, head and feature belong together.
std::string merge_arithmetic(const Trace& trace, const Explanation& why) {
  if (why.stage != StageId::concat || trace.request.merge != Merge::transpose) return {};
  const std::int64_t features = trace.inputs->value_head_dim;
  return fmt::format("{} = {} · {} + {}", why.index[2], why.index[2] / features, features, why.index[2] % features);
}

// As people read it: U+2212 for signs, and between what is subtracted. What is copied keeps '-'.
std::string with_minuses(const std::string& formula) {
  std::string shown = with_minus_signs(formula);
  if (shown.starts_with("- ")) shown.replace(0, 1, kMinusSign);
  for (std::size_t at = shown.find(" - "); at != shown.npos; at = shown.find(" - ", at)) {
    shown.replace(at + 1, 1, kMinusSign);
  }
  return shown;
}

struct Line {
  std::string name, expression, result;
  const CellPlace* of = nullptr;
  double value = 0;
  std::string term = {};  // of the formula; "": `name`
};

void write_step(Writer& to, const Line& step, std::size_t at, bool last) {
  Ui& ui = to.ui;
  const Type type = last ? Type::mono_bold12 : Type::mono12;
  const float result_width = std::ceil(text_width(ui, type, step.result)) + 1;
  const std::string shown = with_minuses(step.expression);
  const float expression = std::ceil(text_width(ui, Type::mono12, ours(shown))) + 1;
  const float inner = to.area.width() - ui.px(12);
  // An expression that does not fit beside name and result stands below, on as many lines as it needs.
  const bool below = ui.px(kName + 8) + expression + ui.px(10) + result_width > inner;
  const float first = to.y;
  Writer indented = to;
  indented.area.min.x += ui.px(22);
  indented.y = first + ui.px(kRow);
  indented.visible.max.y = indented.visible.min.y;  // measured before the ground is drawn
  if (below) write_pieces(indented, Type::mono11, {{shown, TextRole::plain}});
  const float height = below ? indented.y - first : ui.px(kRow);
  const Rect line = to.line(height);
  if (!to.sees(line.min.y, line.max.y)) return;
  const std::string name = fmt::format("inspector/where/step/{}", at);
  const bool jumps = step.of != nullptr && *step.of != to.place;
  const Interaction mouse =
      interact(ui, name, line, {true, false, jumps ? "Show this step in its own stage." : nullptr});
  if (step.of != nullptr && (mouse.hovered || mouse.focused)) {
    std::optional<LitStep>& next = ui.state.panels.get<LitStepState>().next;
    if (!next || mouse.hovered) next = LitStep{*step.of, step.term.empty() ? step.name : step.term};
  }
  if (mouse.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(line, ui.px(1)), ui.px(size::radius_inner));
  if (last || (mouse.hovered && jumps)) fill(line, last ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_inner));
  if (mouse.clicked && jumps) jump_to_cell(ui, to.data.trace(), *step.of, to.place);
  if (mouse.hovered && jumps) ui.state.next_hover.cell = *step.of;
  Rect rest{{line.min.x + ui.px(6), line.min.y}, {line.max.x - ui.px(6), line.min.y + ui.px(kRow)}};
  text_in(ui, take_right(rest, result_width, ui.px(8)), type, ui.colors.text, step.result, 1);
  text_in(ui, take_left(rest, below ? rest.width() : ui.px(kName), ui.px(4)), type,
          last ? ui.colors.text : ui.colors.text2, ours(with_minuses(step.name)));
  if (below) {
    indented.visible = to.visible;
    indented.y = first + ui.px(kRow) - ui.px(2);
    write_pieces(indented, Type::mono11, {{shown, TextRole::plain}});
  } else {
    text_in(ui, rest, Type::mono12, ui.colors.text2, ours(shown));
  }
  const std::string digits = fmt::format("{:.9g}", step.value);
  point_at(to, line, digits, fmt::format("{}\t{}\t{}\n", step.name, step.expression, digits));
}

}  // namespace

void write_formula(Writer& to, const CellReport& report) {
  for (const Explanation& why : report.chain) {
    if (is_copy(why)) {
      const Operand& from = why.operands.front();
      std::vector<RoleText> pieces = {{cell_name(stage_name(why.stage), why.index) + " = ", TextRole::strong},
                                      {cell_name(from.stage, from.index), TextRole::link}};
      const std::string arithmetic = merge_arithmetic(to.data.trace(), why);
      if (!arithmetic.empty()) pieces.push_back({"   " + arithmetic, TextRole::plain});
      write_pieces(to, Type::mono12, pieces, &from);
      continue;
    }
    const auto at = static_cast<std::size_t>(&why - report.chain.data());
    const Operand* const bias = &why == &report.root() ? report.bias() : nullptr;
    if (at < report.formulas.size()) write_typeset(to, why, report.formulas[at], bias);
    break;  // what it is made from follows in the steps
  }
}

void write_steps(Writer& to, const CellReport& report) {
  std::vector<Line> lines;
  const Explanation& root = report.root();
  const CellPlace sum_of{root.stage, root.index};
  if (root.stage == StageId::raw_scores && !report.left_row.empty()) {
    const TokenPair tokens = tokens_of(to.data.trace(), sum_of);
    lines.push_back({"query · key",
                     fmt::format("query[{}] · key[{}]", token_or_index(to.data.rows(root.stage), tokens.query),
                                 token_or_index(to.data.columns(root.stage), tokens.key)),
                     explained_number(report.sum), &sum_of, report.sum, "sum"});
  }
  for (const ReportStep& each : report.steps) {
    if (&each != &report.steps.front() || each.step.name != "+ bias" || report.left_row.empty()) {
      lines.push_back(
          {each.step.name, each.step.expression, explained_number(each.step.value), &each.of, each.step.value});
    }
  }
  if (lines.empty()) return;
  to.y += to.ui.px(4);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    write_step(to, lines[at], at, at + 1 == lines.size());
  }
}

}  // namespace headscope::ui

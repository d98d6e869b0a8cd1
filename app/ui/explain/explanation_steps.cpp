// How the number is computed: its formula, and a row for each step.
#include <fmt/format.h>

#include <cmath>

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

// A sum with its rows: "Σ over features d of query[…] · key[…]", and the bias that is added.
void write_sum_formula(Writer& to, const CellReport& report) {
  const Explanation& why = report.root();
  const auto role = [&](std::size_t at) {
    if (at >= why.operands.size()) return TextRole::strong;
    const SourceRole of = why.operands[at].role;
    return of == SourceRole::query   ? TextRole::query
           : of == SourceRole::key   ? TextRole::key
           : of == SourceRole::value ? TextRole::value
                                     : TextRole::strong;
  };
  std::vector<RoleText> pieces = {{cell_name(stage_name(why.stage), why.index) + " = ", TextRole::strong},
                                  {report.over_keys ? "Σ over keys j of " : "Σ over features d of ", TextRole::plain},
                                  {report.left_row + " · ", role(0)},
                                  {report.right_row, role(1)}};
  const Operand* bias = report.bias();
  if (bias != nullptr) {
    pieces.push_back({" + ", TextRole::plain});
    pieces.push_back({cell_name(bias->stage, bias->index), TextRole::link});
  }
  write_pieces(to, Type::mono12, pieces, bias);
}

struct Line {
  std::string name, expression, result;
  const CellPlace* of = nullptr;
  double value = 0;
};

void write_step(Writer& to, const Line& step, std::size_t at, bool last) {
  Ui& ui = to.ui;
  const Type type = last ? Type::mono_bold12 : Type::mono12;
  const float result_width = std::ceil(text_width(ui, type, step.result)) + 1;
  const float expression = std::ceil(text_width(ui, Type::mono12, step.expression)) + 1;
  const float inner = to.area.width() - ui.px(12);
  // An expression that does not fit beside name and result stands below, on as many lines as it needs.
  const bool below = ui.px(kName + 8) + expression + ui.px(10) + result_width > inner;
  const float first = to.y;
  Writer indented = to;
  indented.area.min.x += ui.px(22);
  indented.y = first + ui.px(kRow);
  indented.visible.max.y = indented.visible.min.y;  // measured before the ground is drawn
  if (below) write_pieces(indented, Type::mono11, {{step.expression, TextRole::plain}});
  const float height = below ? indented.y - first : ui.px(kRow);
  const Rect line = to.line(height);
  if (!to.sees(line.min.y, line.max.y)) return;
  const std::string name = fmt::format("inspector/where/step/{}", at);
  const bool jumps = step.of != nullptr && *step.of != to.place;
  const Interaction mouse =
      interact_mouse(ui, name, line, {true, false, jumps ? "Show this step in its own stage." : nullptr}, false);
  if (last || (mouse.hovered && jumps)) fill(line, last ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_inner));
  if (mouse.clicked && jumps) jump_to_cell(ui, to.data.trace(), *step.of, to.place);
  if (mouse.hovered && jumps) ui.state.next_hover.cell = *step.of;
  Rect rest{{line.min.x + ui.px(6), line.min.y}, {line.max.x - ui.px(6), line.min.y + ui.px(kRow)}};
  text_in(ui, take_right(rest, result_width, ui.px(8)), type, ui.colors.text, step.result, 1);
  text_in(ui, take_left(rest, below ? rest.width() : ui.px(kName), ui.px(4)), type,
          last ? ui.colors.text : ui.colors.text2, step.name);
  if (below) {
    indented.visible = to.visible;
    indented.y = first + ui.px(kRow) - ui.px(2);
    write_pieces(indented, Type::mono11, {{step.expression, TextRole::plain}});
  } else {
    text_in(ui, rest, Type::mono12, ui.colors.text2, step.expression);
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
    if (&why == &report.root() && !report.left_row.empty()) {
      write_sum_formula(to, report);
      continue;
    }
    write_pieces(to, Type::mono12, {{why.formula, TextRole::plain}});
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
                     number_text(report.sum), &sum_of, report.sum});
  }
  for (const ReportStep& each : report.steps) {
    if (&each != &report.steps.front() || each.step.name != "+ bias" || report.left_row.empty()) {
      lines.push_back({each.step.name, with_minus_signs(each.step.expression), number_text(each.step.value), &each.of,
                       each.step.value});
    }
  }
  if (lines.empty()) return;
  to.y += to.ui.px(4);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    write_step(to, lines[at], at, at + 1 == lines.size());
  }
}

}  // namespace headscope::ui

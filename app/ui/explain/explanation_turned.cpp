// The two features that rotary positions turn into a number: by what each is multiplied, and the sum that it is itself.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/explain/explanation.h"
#include "app/ui/widgets/widgets.h"
#include "core/explain/cell_report.h"

namespace headscope::ui {
namespace {

// "b = query_proj[0, 3, 21] = −0.21, times −sin θ = −0.84: 0.18"
void write_heading(Writer& to, const std::string& letter, const ExplainTurn::Feature& feature,
                   const std::string& factor) {
  std::string words = fmt::format(" = {}", explained_number(feature.cell.value));
  if (feature.value != feature.cell.value) {
    words += fmt::format(", before it is turned {}", explained_number(feature.value));
  }
  words += fmt::format(", times {} = {}: ", factor, explained_number(feature.factor));
  write_pieces(to, Type::mono12,
               {{letter + " = ", TextRole::strong},
                {cell_name(feature.cell.stage, feature.cell.index), TextRole::link},
                {words, TextRole::plain},
                {explained_number(feature.product()), TextRole::strong}},
               &feature.cell);
}

}  // namespace

void write_turned(Writer& to, const CellReport& report) {
  if (report.turned.empty()) return;
  const ExplainTurn& turn = *report.root().turn;
  for (const bool own : {true, false}) {
    const CellReport& from = report.turned[own ? 0 : 1].report;
    to.y += to.ui.px(8);
    write_heading(to, own ? "a" : "b", own ? turn.own : turn.other, own ? "cos θ" : sine_words(turn));
    to.part = own ? "a/" : "b/";
    write_formula(to, from);
    if (!from.left_row.empty()) write_sum(to, from);
    to.part.clear();
  }
}

}  // namespace headscope::ui

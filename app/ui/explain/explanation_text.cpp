#include <fmt/format.h>

#include "app/ui/explain/explanation.h"

namespace headscope::ui {

std::string terms_text(const CellReport& report) {
  if (report.terms.empty()) return {};
  const std::vector<Operand>& operands = report.root().operands;
  const ReportTerm& first = report.terms.front();
  std::string text = fmt::format("{}\t{}\t{}\tproduct\n", report.over_keys ? "key" : "feature",
                                 operands[first.left_operand].stage, operands[first.left_operand + 1].stage);
  for (const ReportTerm& term : report.terms) {
    text += fmt::format("{}\t{}\t{}\t{:.9g}\n", term.k, headscope::operand_text(term.left),
                        headscope::operand_text(term.right), term.product);
  }
  if (const Operand* bias = report.bias()) {
    text += fmt::format("bias\t{}\t\t{}\n", cell_name(bias->stage, bias->index), headscope::operand_text(bias->value));
  }
  return text;
}

std::string report_text(const CellReport& report) {
  const Explanation& cell = report.cell();
  std::string text =
      fmt::format("{}\t{}\n", cell_name(stage_name(cell.stage), cell.index), headscope::operand_text(cell.value));
  for (const Explanation& why : report.chain) text += why.formula + "\n";
  text += terms_text(report);
  if (!report.left_row.empty()) text += fmt::format("sum\t\t\t{:.9g}\n", report.sum);
  for (const ReportStep& each : report.steps) {
    text += fmt::format("{}\t{}\t{:.9g}\n", each.step.name, each.step.expression, each.step.value);
  }
  for (const ReportFeature& feature : report.turned) text += "\n" + report_text(feature.report);
  return text;
}

}  // namespace headscope::ui

// Where one number comes from: its formula, every step, and the terms of its sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/minus_sign.h"
#include "core/explain/cell_report.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/text/formula_layout.h"
#include "core/request/stage_info.h"

namespace headscope {

namespace {

constexpr double kWidth = 560, kRow = 21, kName = 132, kPad = 10;  // units
constexpr std::size_t kMostTerms = 12;

FontRole font_of(FormulaType type) {
  return type == FormulaType::words || type == FormulaType::big ? FontRole::words : FontRole::numbers;
}

Rgba color_of(const Palette& colors, FormulaRole role) {
  switch (role) {
    case FormulaRole::query:
      return colors.query;
    case FormulaRole::key:
      return colors.key;
    case FormulaRole::value:
      return colors.value;
    case FormulaRole::dim:
      return colors.text3;
    case FormulaRole::plain:
      break;
  }
  return colors.text;
}

CellPlace place_of_explained(const Sheet& sheet) {
  const ViewSpec& view = sheet.view;
  const Stage* stage = sheet.trace.find(view.stage);
  if (stage == nullptr) {
    throw UsageError("stage", fmt::format("found {}; this request has no such stage", stage_name(view.stage)));
  }
  const Shape& shape = stage->tensor.shape();
  if (static_cast<int>(view.at.size()) != shape.count) {
    throw UsageError("at", view.at.empty() ? std::string("found nothing; an explanation is of one cell")
                                           : fmt::format("found {} numbers; {} has {} axes", view.at.size(),
                                                         stage_name(view.stage), shape.count));
  }
  CellPlace place{view.stage, {}};
  for (int axis = 0; axis < shape.count; ++axis) {
    const std::int64_t at = view.at[static_cast<std::size_t>(axis)];
    if (at < 0 || at >= shape[axis]) {
      throw UsageError(
          "at", fmt::format("found {} on axis {}; {} is {}", at, axis, stage_name(view.stage), to_string(shape)));
    }
    place.index.push_back(at);
  }
  return place;
}

// A column that is written from top to bottom.
struct Column {
  Sheet& sheet;
  const CellReport& report;
  int left = 0, right = 0, y = 0;
  int width() const { return right - left; }
};

// The cell, what it is, its value.
void add_cell(Column& to) {
  Sheet& sheet = to.sheet;
  const Explanation& cell = to.report.cell();
  const int height = sheet.px(52);
  sheet.rect(to.left, to.y, to.width(), height, sheet.colors.tint);
  const int inner_left = to.left + sheet.px(12), inner_right = to.right - sheet.px(12);
  const std::string value = signed_number_text(cell.value);
  sheet.text_right(inner_right, to.y + height / 2.0, value, FontRole::numbers_bold, 20, sheet.colors.text);
  const double room = inner_right - inner_left - sheet.width_of(value, FontRole::numbers_bold, 20) - sheet.px(10);
  const std::string name = cell_name(stage_name(cell.stage), cell.index);
  sheet.text_middle(inner_left, to.y + height * 0.32, fit_text(name, FontRole::numbers_bold, sheet.font(12), room),
                    FontRole::numbers_bold, 12, sheet.colors.text);
  std::string words = sheet.trace.find(cell.stage)->operation;
  if (is_score_like(cell.stage)) {
    const auto label = [](const std::vector<std::string>& names, std::int64_t at) {
      return names[static_cast<std::size_t>(at)];
    };
    words = fmt::format("query {} \u2192 key {}, head {}", label(sheet.trace.query_labels(), cell.index[2]),
                        label(sheet.trace.key_labels(), cell.index[3]), cell.index[1]);
  }
  sheet.text_middle(inner_left, to.y + height * 0.7, fit_text(words, FontRole::words, sheet.font(12), room),
                    FontRole::words, 12, sheet.colors.text2);
  to.y += height + sheet.px(8);
}

// A formula on a ground of its own, what its letters stand for below.
void add_formula(Column& to, const Formula& formula) {
  Sheet& sheet = to.sheet;
  const FormulaLayout layout =
      formula_layout(formula, picture_formula_fonts(sheet.view.scale), to.width() - 2 * sheet.px(kPad));
  const int pad = sheet.px(kPad), height = static_cast<int>(std::ceil(layout.height)) + 2 * pad;
  sheet.rect(to.left, to.y, to.width(), height, sheet.colors.well);
  const double x = to.left + pad, y = to.y + pad;
  for (const FormulaRect& bar : layout.bars) {
    sheet.rect(static_cast<int>(std::lround(x + bar.x)), static_cast<int>(std::lround(y + bar.y)),
               std::max(1, static_cast<int>(std::lround(bar.width))),
               std::max(1, static_cast<int>(std::lround(bar.height))), sheet.colors.text2);
  }
  for (const FormulaGlyphs& glyphs : layout.glyphs) {
    sheet.text(x + glyphs.x, y + glyphs.baseline, glyphs.text, font_of(glyphs.type), formula_size(glyphs.type),
               color_of(sheet.colors, glyphs.role));
  }
  to.y += height + sheet.px(6);
  std::vector<Span> letters;
  for (const FormulaLetter& letter : formula.letters) {
    if (!letter.letter.empty()) letters.push_back({letter.letter, sheet.colors.text});
    letters.push_back({letter.meaning + (&letter == &formula.letters.back() ? "" : " \u00b7"), sheet.colors.text3});
  }
  to.y += sheet.paragraph(to.left, to.y, to.width(), letters) + sheet.px(6);
  sheet.plan.description += fmt::format("\n{}", formula_words(formula.left));
  for (const FormulaNode& right : formula.right) sheet.plan.description += fmt::format(" = {}", formula_words(right));
}

// A step: its name, its numbers (below where they are long), its result.
void add_step(Column& to, const ExplainStep& step, bool last) {
  Sheet& sheet = to.sheet;
  const FontRole role = last ? FontRole::numbers_bold : FontRole::numbers;
  const std::string result = signed_number_text(step.value), expression = with_minus_signs(step.expression);
  const double room = to.width() - sheet.px(kName) - sheet.px(16) - sheet.width_of(result, role, 12);
  const bool below = sheet.width_of(expression, FontRole::numbers, 12) > room;
  const int row = sheet.px(kRow);
  const std::size_t ground = sheet.plan.items.size();
  const int top = to.y;
  if (last) sheet.plan.items.emplace_back(RectItem{to.left, top, to.width(), 0, sheet.colors.tint});
  const double middle = top + row / 2.0;
  sheet.text_middle(to.left + sheet.px(6), middle, step.name, role, 12, last ? sheet.colors.text : sheet.colors.text2);
  sheet.text_right(to.right - sheet.px(6), middle, result, role, 12, sheet.colors.text);
  to.y += row;
  if (below) {
    to.y += sheet.paragraph(to.left + sheet.px(22), to.y - sheet.px(2), to.width() - sheet.px(28),
                            {{expression, sheet.colors.text2}});
  } else {
    sheet.text_middle(to.left + sheet.px(kName), middle, expression, FontRole::numbers, 12, sheet.colors.text2);
  }
  if (last) std::get<RectItem>(sheet.plan.items[ground]).height = to.y - top;
}

// A term of the sum, the largest first, as a bar beside its numbers.
void add_term(Column& to, const ReportTerm& term, int decimals) {
  Sheet& sheet = to.sheet;
  const double middle = to.y + sheet.px(kRow) / 2.0;
  const std::vector<std::string> names = to.report.over_keys ? sheet.trace.key_labels() : std::vector<std::string>();
  const std::string name = names.empty() ? fmt::format("feature {}", term.k)
                                         : fmt::format("{} {}", term.k, names[static_cast<std::size_t>(term.k)]);
  sheet.text_middle(to.left + sheet.px(6), middle,
                    fit_text(name, FontRole::numbers, sheet.font(12), sheet.px(kName - 10)), FontRole::numbers, 12,
                    names.empty() ? sheet.colors.text2 : sheet.colors.key);
  const auto column = [&](double units) { return to.left + sheet.px(units); };
  sheet.text_right(column(200), middle, signed_number_text(term.left, decimals), FontRole::numbers, 12,
                   sheet.colors.text2);
  sheet.text_centred(column(216), middle, "\u00d7", FontRole::words, 12, sheet.colors.text3);
  sheet.text_right(column(296), middle, signed_number_text(term.right, decimals), FontRole::numbers, 12,
                   sheet.colors.text2);
  sheet.text_centred(column(312), middle, "=", FontRole::words, 12, sheet.colors.text3);
  sheet.text_right(column(392), middle, signed_number_text(term.product), FontRole::numbers_bold, 12,
                   sheet.colors.text);
  const int zero = column(404 + 62), reach = sheet.px(58);
  const int length = static_cast<int>(std::lround(std::fabs(term.share) * static_cast<float>(reach)));
  sheet.rect(zero, to.y + sheet.px(3), sheet.px(1), sheet.px(kRow - 6), sheet.colors.text3);
  if (length > 0) {
    sheet.rect(term.share > 0 ? zero : zero - length, to.y + sheet.px(6), length, sheet.px(kRow - 12),
               term.share > 0 ? sheet.colors.bar_positive : sheet.colors.bar_negative);
  }
  to.y += sheet.px(kRow);
}

void add_sum(Column& to) {
  const CellReport& report = to.report;
  if (report.terms.empty()) return;
  Sheet& sheet = to.sheet;
  sheet.text_middle(to.left, to.y + sheet.px(14), "What the sum is made of", FontRole::words_bold, 12,
                    sheet.colors.text);
  sheet.text_right(to.right, to.y + sheet.px(14), fmt::format("sum {}", signed_number_text(report.sum)),
                   FontRole::numbers, 12, sheet.colors.text2);
  to.y += sheet.px(28);
  const int decimals = factor_decimals(report, 4);
  const std::size_t shown = std::min(kMostTerms, report.terms.size());
  double rest = 0;
  for (std::size_t k = 0; k < report.terms.size(); ++k) {
    if (k < shown) {
      add_term(to, report.terms[k], decimals);
    } else {
      rest += report.terms[k].product;
    }
  }
  if (shown == report.terms.size()) return;
  const double middle = to.y + sheet.px(kRow) / 2.0;
  sheet.text_middle(to.left + sheet.px(6), middle, fmt::format("{} more", report.terms.size() - shown), FontRole::words,
                    12, sheet.colors.text2);
  sheet.text_right(to.left + sheet.px(392), middle, signed_number_text(rest), FontRole::numbers, 12, sheet.colors.text);
  to.y += sheet.px(kRow);
}

// The two features that rotary positions turn, each with the sum that it is.
void add_turned(Column& to) {
  if (to.report.turned.empty()) return;
  Sheet& sheet = to.sheet;
  const ExplainTurn& turn = *to.report.root().turn;
  for (const bool own : {true, false}) {
    const ExplainTurn::Feature& feature = own ? turn.own : turn.other;
    std::string name = cell_name(feature.cell.stage, feature.cell.index);
    if (turn.normed) name += fmt::format(", after the norm {}", signed_number_text(feature.value));
    const std::string times =
        fmt::format("times {} = {}", own ? "cos θ" : sine_words(turn), signed_number_text(feature.factor));
    sheet.text_middle(to.left, to.y + sheet.px(14), fmt::format("{} = {}, {}", own ? "a" : "b", name, times),
                      FontRole::words_bold, 12, sheet.colors.text);
    sheet.text_right(to.right, to.y + sheet.px(14), signed_number_text(feature.product()), FontRole::numbers_bold, 12,
                     sheet.colors.text);
    to.y += sheet.px(28);
    Column from{sheet, to.report.turned[own ? 0 : 1].report, to.left, to.right, to.y};
    for (const Formula& formula : from.report.formulas) add_formula(from, formula);
    add_sum(from);
    to.y = from.y + sheet.px(6);
  }
}

}  // namespace

FormulaFonts picture_formula_fonts(double scale) {
  FormulaFonts fonts;
  fonts.unit = scale;
  fonts.width = [scale](FormulaType type, std::string_view text) {
    return drawn_width(text, font_of(type), formula_size(type) * scale);
  };
  // Letters without room above and below them: lines of a formula are close.
  fonts.ascent = [scale](FormulaType type) { return formula_size(type) * scale * 0.82; };
  fonts.descent = [scale](FormulaType type) { return formula_size(type) * scale * 0.24; };
  return fonts;
}

void plan_explanation(Sheet& sheet) {
  const CellPlace place = place_of_explained(sheet);
  const CellReport report = report_of(sheet.trace, place.stage, place.index);
  const int width = figure_width(sheet, sheet.px(kWidth));
  sheet.plan.width = width;
  Sheet::Title title;
  title.name = "Where this number comes from";
  title.stage = cell_name(stage_name(place.stage), place.index);
  if (is_score_like(place.stage)) title.head = place.index[1];
  Column to{sheet, report, sheet.margin(), width - sheet.margin(), sheet.header(title, width)};
  add_cell(to);
  for (const Formula& formula : report.formulas) add_formula(to, formula);
  for (std::size_t at = 0; at < report.steps.size(); ++at) {
    add_step(to, report.steps[at].step, at + 1 == report.steps.size());
  }
  to.y += sheet.px(6);
  add_sum(to);
  add_turned(to);
  sheet.plan.height = to.y + sheet.px(14);
}

}  // namespace headscope

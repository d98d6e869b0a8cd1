#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/explain/explanation.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/base/minus_sign.h"
#include "core/explain/explain.h"

namespace headscope::ui {
namespace {

constexpr float kSign = 24, kHead = 24, kSumRow = 22, kGap = 10, kLeastBar = 36, kMostBar = 190;

struct SumState {
  bool open = false;  // all terms are listed
};

// The columns' right edges; numbers are measured, so that none is ever cut, and the bar takes the rest.
struct Columns {
  float name = 0, left = 0, right = 0, product = 0, bar = 0, bar_end = 0;
  int decimals = 4;
};

std::string factor(double value, const Columns& columns) {
  return explained_number(value, columns.decimals);
}

struct Table {
  Writer& to;
  const CellReport& report;
  Columns columns;
  std::size_t shown = 0;
};

// As wide as the widest number that can be seen.
Columns columns_of(Writer& to, const CellReport& report, std::size_t shown) {
  Ui& ui = to.ui;
  Columns columns;
  columns.decimals = factor_decimals(report, 4);
  const float digit = text_width(ui, Type::mono12, "0");
  std::size_t left = 0, right = 0, product = explained_number(report.sum).size();
  // Of very many terms those in sight and the largest decide; all have the same decimals.
  for (std::size_t at = 0; at < std::min<std::size_t>(shown, 400); ++at) {
    left = std::max(left, factor(report.terms[at].left, columns).size());
    right = std::max(right, factor(report.terms[at].right, columns).size());
    product = std::max(product, explained_number(report.terms[at].product).size());
  }
  const auto width = [&](std::size_t characters) { return std::ceil(digit * static_cast<float>(characters)) + 2; };
  const float sign = ui.px(kSign), gap = ui.px(kGap);
  const float numbers = width(left) + sign + width(right) + sign + width(product) + gap;
  const float room = to.area.width() - numbers - ui.px(12);
  const float wanted_name = ui.px(report.over_keys ? 108 : 64), least_name = ui.px(report.over_keys ? 56 : 40);
  float bar = std::min(ui.px(kMostBar), room - wanted_name);
  if (bar < ui.px(kLeastBar)) bar = room - least_name >= ui.px(kLeastBar) ? ui.px(kLeastBar) : 0;
  const float name = std::max(least_name, room - bar);
  columns.name = to.area.min.x + ui.px(6) + name;
  columns.left = columns.name + width(left);
  columns.right = columns.left + sign + width(right);
  columns.product = columns.right + sign + width(product);
  columns.bar = columns.product + gap;
  columns.bar_end = columns.bar + bar;
  return columns;
}

Rect between(float left, float right, const Rect& line) {
  return {{left, line.min.y}, {right, line.max.y}};
}

void write_head(const Table& table) {
  Writer& to = table.to;
  Ui& ui = to.ui;
  const Rect line = to.line(ui.px(kHead));
  if (!to.sees(line.min.y, line.max.y) || table.report.terms.empty()) return;
  const Columns& c = table.columns;
  const std::vector<Operand>& operands = table.report.root().operands;
  const std::size_t first = table.report.terms.front().left_operand;
  const auto head = [&](float left, float right, const std::string& words, float align) {
    text_in(ui, between(left, right, line), Type::words11, ui.colors.text2, words, align);
  };
  const char* of = table.report.over_keys ? "key j" : "feature d";
  const float begin = to.area.min.x + ui.px(6), own = std::ceil(text_width(ui, Type::words11, of)) + 1;
  head(begin, begin + own, of, 0);
  head(begin + own + ui.px(8), c.left, operands[first].stage, 1);
  head(c.left + ui.px(4), c.right, operands[first + 1].stage, 1);
  head(c.right, c.product, "product", 1);
  if (c.bar_end > c.bar + ui.px(60)) head(c.bar, c.bar_end, "contribution", 0.5f);
}

void draw_share(Ui& ui, const Rect& bar, float share) {
  const float middle = std::round(bar.center().x);
  const float reach = std::round(std::abs(share) * (bar.width() / 2 - 1));
  const float top = std::round(bar.center().y - ui.px(5.5f));
  const Rect filled = share > 0 ? Rect{{middle, top}, {middle + std::max(1.0f, reach), top + ui.px(11)}}
                                : Rect{{middle - std::max(1.0f, reach), top}, {middle, top + ui.px(11)}};
  if (share != 0) fill(filled, share > 0 ? ui.colors.bar_positive : ui.colors.bar_negative);
  vertical_line(ui, middle, bar.min.y, bar.max.y, ui.colors.text3);
}

void write_term(const Table& table, std::size_t at) {
  Writer& to = table.to;
  Ui& ui = to.ui;
  const Rect line = to.line(ui.px(kSumRow));
  if (!to.sees(line.min.y, line.max.y)) return;
  const ReportTerm& term = table.report.terms[at];
  const Operand& left = table.report.root().operands[term.left_operand];
  const Operand& right = table.report.root().operands[term.left_operand + 1];
  const Columns& c = table.columns;
  const std::string name = to.name_of(fmt::format("term/{}", term.k));
  const bool over = mouse_over(ui, line);
  if (at == 0 || over) fill(line, over ? ui.colors.hover : ui.colors.raised, ui.px(size::radius_inner));
  ui.mark(name, line);
  const Rect index_place{{line.min.x + ui.px(6), line.min.y}, {c.name, line.max.y}};
  const bool keys = table.report.over_keys;
  const std::string words =
      keys ? fmt::format("{} {}", term.k, token_or_index(to.data.columns(StageId::weights), term.k))
           : fmt::format("{}", term.k);
  operand_link(to, {.name = name + "/name",
                    .rect = {index_place.min, {index_place.max.x - ui.px(6), index_place.max.y}},
                    .type = at == 0 ? Type::mono_bold12 : Type::mono12,
                    .color = !keys     ? ui.colors.text2
                             : at == 0 ? ui.colors.key
                                       : ui.colors.text,
                    .text = words,
                    .operand = left});
  operand_link(to, {.name = name + "/left",
                    .rect = between(c.name, c.left, line),
                    .color = keys ? ui.colors.text2 : operand_color(ui, left),
                    .text = factor(term.left, c),
                    .operand = left,
                    .align = 1});
  text_in(ui, between(c.left, c.left + ui.px(kSign), line), Type::mono12, ui.colors.text3, "×", 0.5f);
  operand_link(to, {.name = name + "/right",
                    .rect = between(c.left + ui.px(kSign), c.right, line),
                    .color = operand_color(ui, right),
                    .text = factor(term.right, c),
                    .operand = right,
                    .align = 1});
  text_in(ui, between(c.right, c.right + ui.px(kSign), line), Type::mono12, ui.colors.text3, "=", 0.5f);
  text_in(ui, between(c.right + ui.px(kSign), c.product, line), Type::mono_bold12, ui.colors.text,
          explained_number(term.product), 1);
  if (c.bar_end > c.bar) draw_share(ui, between(c.bar, c.bar_end, line), term.share);
  if (over) {
    const float x = ImGui::GetIO().MousePos.x;
    const std::string l = headscope::operand_text(term.left), r = headscope::operand_text(term.right);
    const std::string p = fmt::format("{:.9g}", term.product);
    const std::string& under = x < c.left ? l : x < c.right ? r : p;
    point_at(to, line, under, fmt::format("{}\t{}\t{}\t{}\n", term.k, l, r, p));
  }
}

// "6 more keys, each at most 0.0019": opens and closes.
void write_rest(const Table& table, std::size_t others) {
  Writer& to = table.to;
  Ui& ui = to.ui;
  const Rect line = to.line(ui.px(kSumRow));
  if (!to.sees(line.min.y, line.max.y)) return;
  bool& open = ui.state.panels.get<SumState>().open;
  const ControlState state{true, false, open ? "Show the largest only." : "Show all of them."};
  const Interaction mouse = interact(ui, to.name_of("rest"), line, state);
  if (mouse.clicked) {
    open = !open;
    ui.state.wants_frame = true;
  }
  if (mouse.hovered) fill(line, ui.colors.hover, ui.px(size::radius_inner));
  if (mouse.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_inner));
  draw_icon(ui, open ? Icon::chevron_down : Icon::chevron_right, {line.min.x + ui.px(11), std::round(line.center().y)},
            ui.px(12), ui.colors.text2);
  const Columns& c = table.columns;
  const char* noun = table.report.over_keys ? "key" : "feature";
  const std::string sum = explained_number(table.report.rest), most = explained_number(table.report.rest_largest);
  const float sum_width = std::ceil(text_width(ui, Type::mono_bold12, sum)) + 1;
  Rect words = between(line.min.x + ui.px(22), c.product - (open ? 0 : sum_width + ui.px(6)), line);
  if (open) return text_in(ui, words, Type::words12, ui.colors.text2, "Show the largest only");
  const std::string count = grouped_digits(static_cast<std::int64_t>(others));
  const double largest = table.report.rest_largest;
  std::string sentence = rest_words(fmt::format("{} more {}{}", count, noun, others == 1 ? "" : "s"), largest, most);
  // Numbers are never cut: the words give way.
  if (text_width(ui, Type::words12, sentence) > words.width()) sentence = rest_words(count + " more", largest, most);
  if (text_width(ui, Type::words12, sentence) > words.width()) sentence = fmt::format("{} more", count);
  text_in(ui, words, Type::words12, ui.colors.text2, sentence);
  text_in(ui, between(c.product - sum_width, c.product, line), Type::mono_bold12, ui.colors.text, sum, 1);
  if (c.bar_end > c.bar)
    vertical_line(ui, std::round((c.bar + c.bar_end) / 2), line.min.y, line.max.y, ui.colors.text3);
}

void write_result(const Table& table, const std::string& words, double value, const std::string& fact,
                  bool line_above) {
  Writer& to = table.to;
  Ui& ui = to.ui;
  const Rect line = to.line(ui.px(kSumRow + 2));
  if (!to.sees(line.min.y, line.max.y)) return;
  if (line_above) horizontal_line(ui, line.min.x, line.max.x, line.min.y, ui.colors.line);
  const Columns& c = table.columns;
  text_in(ui, between(line.min.x + ui.px(6), c.right, line), Type::title12, ui.colors.text, words);
  const std::string number = explained_number(value);
  const float width = std::ceil(text_width(ui, Type::mono_bold12, number)) + 1;
  text_in(ui, between(c.product - width, c.product, line), Type::mono_bold12, ui.colors.text, number, 1);
  if (fact.empty()) return;
  const float needed = std::ceil(text_width(ui, Type::mono11, fact)) + 1;
  if (line.max.x - c.product >= needed + ui.px(8)) {
    text_in(ui, {{line.max.x - needed, line.min.y}, line.max}, Type::mono11, ui.colors.text2, fact, 1);
    return;
  }
  const Rect below = to.line(ui.px(18));
  text_in(ui, {{below.max.x - needed, below.min.y}, below.max}, Type::mono11, ui.colors.text2, fact, 1);
}

}  // namespace

void write_sum(Writer& to, const CellReport& report) {
  Ui& ui = to.ui;
  const bool open = ui.state.panels.get<SumState>().open;
  const std::size_t count = report.terms.size();
  Table table{to, report, {}, open ? count : std::min(count, kShownTerms)};
  table.columns = columns_of(to, report, table.shown);
  write_head(table);
  // Rows out of sight are stepped over.
  const float pitch = ui.px(kSumRow), top = to.y;
  const auto clamped = [&](float rows) {
    return std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(rows), 0, static_cast<std::ptrdiff_t>(table.shown));
  };
  const std::ptrdiff_t first = clamped(std::floor((to.visible.min.y - top) / pitch));
  const std::ptrdiff_t end = clamped(std::ceil((to.visible.max.y - top) / pitch));
  for (std::ptrdiff_t at = first; at < end; ++at) {
    to.y = top + static_cast<float>(at) * pitch;
    write_term(table, static_cast<std::size_t>(at));
  }
  to.y = top + static_cast<float>(table.shown) * pitch;
  if (count > kShownTerms) write_rest(table, count - kShownTerms);
  const std::string stored = "stored float32 " + with_minus_signs(headscope::operand_text(report.root().value));
  const char* noun = report.over_keys ? "key" : "term";
  std::string words = fmt::format("sum of {} term{}", count, count == 1 ? "" : "s");
  if (report.not_read > 0) {
    words += fmt::format(" ({} hidden {}{} not read)", report.not_read, noun, report.not_read == 1 ? "" : "s");
  }
  const Operand* bias = report.bias();
  write_result(table, words, report.sum, bias == nullptr ? stored : "", true);
  if (bias == nullptr) return;
  const float before = to.y;
  write_result(table, "", bias->value, "", false);
  if (to.sees(before, to.y)) {
    operand_link(to, {.name = to.name_of("bias"),
                      .rect = {{to.area.min.x + ui.px(6), before}, {table.columns.right, to.y}},
                      .color = ui.colors.accent,
                      .text = fmt::format("+ {}", cell_name(bias->stage, bias->index)),
                      .operand = *bias});
  }
  write_result(table, "with bias", report.root().steps[1].value, stored, true);
}

}  // namespace headscope::ui

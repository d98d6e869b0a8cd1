#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/explain/explanation.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 30, kBars = 96, kRow = 17, kNames = 38;

// The terms that get a column: all in the order of features where there is room, else the largest, largest first.
std::vector<const ReportTerm*> columns_of(const CellReport& report, std::size_t room) {
  std::vector<const ReportTerm*> terms;
  for (std::size_t at = 0; at < std::min(room, report.terms.size()); ++at) terms.push_back(&report.terms[at]);
  if (report.terms.size() <= room) {
    std::sort(terms.begin(), terms.end(), [](const ReportTerm* a, const ReportTerm* b) { return a->k < b->k; });
  }
  return terms;
}

void draw_bars(Writer& to, const std::vector<const ReportTerm*>& terms, const Rect& area) {
  Ui& ui = to.ui;
  float up = 0, down = 0;
  for (const ReportTerm* term : terms) {
    up = std::max(up, term->share);
    down = std::max(down, -term->share);
  }
  const float whole = up + down;
  const float zero = std::round(area.min.y + (whole > 0 ? area.height() * up / whole : area.height()));
  const float pitch = area.width() / static_cast<float>(terms.size());
  for (std::size_t at = 0; at < terms.size() && whole > 0; ++at) {
    const float height = std::round(std::abs(terms[at]->share) / whole * area.height());
    if (height < 1) continue;
    const float center = area.min.x + (static_cast<float>(at) + 0.5f) * pitch;
    const float half = std::floor(std::min(pitch * 0.3f, ui.px(22)));
    const bool positive = terms[at]->share > 0;
    fill({{std::round(center - half), positive ? zero - height : zero},
          {std::round(center + half), positive ? zero : zero + height}},
         positive ? ui.colors.bar_positive : ui.colors.bar_negative);
  }
  horizontal_line(ui, area.min.x, area.max.x, zero, ui.colors.text3);
}

void draw_numbers(Writer& to, const CellReport& report, const std::vector<const ReportTerm*>& terms, const Rect& area,
                  int decimals) {
  Ui& ui = to.ui;
  const float pitch = area.width() / static_cast<float>(terms.size());
  const auto line = [&](int row) {
    const float top = area.min.y + static_cast<float>(row) * ui.px(kRow);
    return Rect{{area.min.x, top}, {area.max.x, top + ui.px(kRow)}};
  };
  const auto label = [&](int row, const char* words, Rgba color) {
    text_in(ui, {{area.min.x - ui.px(kNames), line(row).min.y}, {area.min.x, line(row).max.y}}, Type::mono11, color,
            words);
  };
  label(0, "d", ui.colors.text3);
  label(1, "q · k", ui.colors.text2);
  label(2, "query", ui.colors.query);
  label(3, "key", ui.colors.key);
  const std::vector<Operand>& operands = report.root().operands;
  for (std::size_t at = 0; at < terms.size(); ++at) {
    const ReportTerm& term = *terms[at];
    const float left = area.min.x + static_cast<float>(at) * pitch;
    const auto cell = [&](int row) { return Rect{{left, line(row).min.y}, {left + pitch, line(row).max.y}}; };
    const std::string name = fmt::format("inspector/where/feature/{}", term.k);
    text_in(ui, cell(0), Type::mono11, ui.colors.text3, fmt::format("{}", term.k), 0.5f);
    text_in(ui, cell(1), Type::mono_bold11, ui.colors.text, explained_number(term.product, 3), 0.5f);
    const auto link = [&](const char* side, int row, double value, std::size_t operand) {
      operand_link(to, {.name = name + side,
                        .rect = cell(row),
                        .type = Type::mono11,
                        .color = ui.colors.text2,
                        .text = explained_number(value, decimals),
                        .operand = operands[operand],
                        .align = 0.5f});
    };
    link("/query", 2, term.left, term.left_operand);
    link("/key", 3, term.right, term.left_operand + 1);
    const std::string l = headscope::operand_text(term.left), r = headscope::operand_text(term.right);
    const std::string p = fmt::format("{:.9g}", term.product), row = fmt::format("{}\t{}\t{}\t{}\n", term.k, l, r, p);
    point_at(to, cell(1), p, row);
    point_at(to, cell(2), l, row);
    point_at(to, cell(3), r, row);
  }
}

}  // namespace

void write_features(Writer& to, const CellReport& report, bool whole) {
  Ui& ui = to.ui;
  const Rect title = to.line(ui.px(kTitle));
  const int decimals = factor_decimals(report, 3);
  const float left = to.area.min.x + ui.px(kNames);
  const float width = to.area.max.x - left;
  // Every number has its room, the widest decides.
  float widest = ui.px(30);
  for (std::size_t at = 0; at < std::min<std::size_t>(report.terms.size(), 64); ++at) {
    const ReportTerm& term = report.terms[at];
    for (const std::string& text : {explained_number(term.left, decimals), explained_number(term.right, decimals),
                                    explained_number(term.product, 3)}) {
      widest = std::max(widest, text_width(ui, Type::mono_bold11, text));
    }
  }
  const auto room = static_cast<std::size_t>(std::max(1.0f, std::floor(width / (widest + ui.px(2)))));
  const std::vector<const ReportTerm*> terms = columns_of(report, room);
  if (to.sees(title.min.y, title.max.y)) {
    const std::string sum = "sum " + explained_number(report.sum);
    Rect rest = title;
    text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::mono12, ours(sum))) + 1, ui.px(8)), Type::mono12,
            ui.colors.text2, ours(sum), 1);
    text_in(ui, rest, Type::title12, ui.colors.text,
            terms.size() < report.terms.size()
                ? fmt::format("query · key: the largest {} of {} features", grouped_digits(std::ssize(terms)),
                              grouped_digits(std::ssize(report.terms)))
                : "query · key by feature");
  }
  const Rect bars = to.line(ui.px(kBars));
  const Rect numbers = to.line(4 * ui.px(kRow) + ui.px(4));
  ui.mark("inspector/where/features", {bars.min, numbers.max});
  if (!terms.empty() && to.sees(bars.min.y, numbers.max.y)) {
    draw_bars(to, terms, {{left, bars.min.y}, bars.max});
    draw_numbers(to, report, terms, {{left, numbers.min.y + ui.px(4)}, numbers.max}, decimals);
  }
  if (whole && terms.size() < report.terms.size()) write_sum(to, report);
}

void write_largest_operand(Writer& to, const CellReport& report) {
  Ui& ui = to.ui;
  const CellReport& weight = *report.weight;
  const Explanation& cell = weight.cell();
  to.y += ui.px(8);
  horizontal_line(ui, to.area.min.x - ui.px(size::panel_padding), to.area.max.x + ui.px(size::panel_padding), to.y,
                  ui.colors.line);
  to.y += ui.px(4);
  const Rect line = to.line(ui.px(kTitle));
  if (to.sees(line.min.y, line.max.y)) {
    Rect rest = line;
    const std::string value = explained_number(cell.value);
    text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::mono_bold12, value)) + 1, ui.px(8)), Type::mono_bold12,
            ui.colors.text, value, 1);
    const std::string title = "Largest operand";
    text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::title12, title)) + 1, ui.px(8)), Type::title12,
            ui.colors.text, title);
    const Operand of{std::string(stage_name(cell.stage)), cell.index, cell.value, SourceRole::weight};
    operand_link(to, {.name = "inspector/where/largest",
                      .rect = rest,
                      .color = ui.colors.accent,
                      .text = cell_name(of.stage, of.index),
                      .operand = of});
  }
  std::vector<RoleText> pieces;
  if (weight.root().stage == StageId::raw_scores && !weight.left_row.empty()) {
    const TokenPair tokens = tokens_of(to.data.trace(), {weight.root().stage, weight.root().index});
    pieces = {{"query[" + token_or_index(to.data.rows(StageId::weights), tokens.query) + "]", TextRole::query},
              {" · ", TextRole::plain},
              {"key[" + token_or_index(to.data.columns(StageId::weights), tokens.key) + "]", TextRole::key},
              {" = " + explained_number(weight.sum), TextRole::strong}};
  }
  double before = weight.sum;
  for (const ReportStep& each : weight.steps) {
    if (each.step.name == "+ mask" && each.step.value == before) continue;
    before = each.step.value;
    if (!pieces.empty()) pieces.back().text += ",  ";
    // The name's blanks do not break: it stays with its number.
    pieces.push_back({each.step.name + " " + explained_number(each.step.value), TextRole::strong});
  }
  write_pieces(to, Type::mono12, pieces);
  if (weight.root().stage == StageId::raw_scores && !weight.terms.empty()) {
    write_features(to, weight, false);
  }
}

}  // namespace headscope::ui

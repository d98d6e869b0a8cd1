// What is said of a stage of the user's own: the verdict, where it differs, and which mistakes explain how much of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"
#include "core/diagnose/mistake_rows.h"

namespace headscope::ui {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  if (names.empty()) return "none: correct";
  return fmt::format("{}", fmt::join(names, " + "));
}

std::string size_text(double value) {
  return std::isinf(value) ? "inf" : value < 1e-3 ? number_label(value, 1, true) : number_label(value, 4);
}

const StageComparison& stage_of_answer(const TensorComparison& found, StageId stage) {
  const std::vector<StageComparison>& stages = found.diagnosis.stages;
  return *std::find_if(stages.begin(), stages.end(), [&](const StageComparison& each) { return each.stage == stage; });
}

struct Answer {
  Rgba ground, edge;
  Icon icon;
  std::string fact, rest;
};

Answer answer_of(Ui& ui, const StageComparison& found) {
  const Palette& c = ui.colors;
  const std::string_view stage = stage_name(found.stage);
  if (found.equal) {
    const std::string verdict = found.verdict();
    return {c.ok_ground, c.ok, Icon::check, fmt::format("E{}.", verdict.substr(1)),
            fmt::format("Ours equals your {}: the largest difference is {}.", stage, size_text(found.max_difference))};
  }
  if (!found.explanations.empty()) {
    const std::vector<std::string>& names = found.explanations.front().variants;
    return {
        c.warn_ground, c.warn, Icon::warning, "It is " + names_text(names) + ".",
        fmt::format("Ours equals your {} with {} on.", stage, names.size() == 1 ? "this mistake" : "these mistakes")};
  }
  if (found.common_factor) {
    return {c.bad_ground, c.bad, Icon::warning, "No known mistake explains it.",
            fmt::format("Your {} is {} {:.4g}, though no number lies further away than rounding may move it.", stage,
                        found.common_factor->of_scores ? "the softmax of our scores times" : "ours times",
                        found.common_factor->factor)};
  }
  return {c.bad_ground, c.bad, Icon::warning, "No known mistake explains it.",
          fmt::format("The largest difference of {} is {}.", stage, size_text(found.max_difference))};
}

// The box with the verdict; returns the y below.
float draw_verdict(Ui& ui, const StageComparison& found, const Rect& area) {
  const Answer answer = answer_of(ui, found);
  const Rect box{area.min, {area.max.x, area.min.y + ui.px(40)}};
  fill(box, answer.ground, ui.px(size::radius_field));
  outline(ui, box, answer.edge, 1, ui.px(size::radius_field));
  draw_icon(ui, answer.icon, {box.min.x + ui.px(22), std::round(box.center().y)}, ui.px(14), answer.edge);
  Rect words{{box.min.x + ui.px(40), box.min.y}, {box.max.x - ui.px(10), box.max.y}};
  ui.mark("bug_lab/answer/" + answer.fact, box);
  text_in(
      ui,
      take_left(words, std::min(words.width(), std::ceil(text_width(ui, Type::title13, answer.fact)) + 1), ui.px(8)),
      Type::title13, ui.colors.text, answer.fact);
  if (words.width() > ui.px(30)) {
    text_in(ui, words, Type::words13, ui.colors.text,
            given(shortened_to(ui, Type::words13, answer.rest, words.width())));
  }
  return box.max.y;
}

// Where it differs, and from which of their stages it was judged; returns the y below.
float draw_where(Ui& ui, const StageComparison& found, const Rect& area) {
  std::string words;
  if (!found.where.sentence.empty()) words = found.where.sentence + ".";
  if (!found.given.empty()) {
    std::string given;
    for (const StageId stage : found.given) given += (given.empty() ? "" : ", ") + std::string(stage_name(stage));
    words += fmt::format("{}It is judged from your {}.", words.empty() ? "" : " ", given);
  }
  if (!found.read_as.empty()) words += fmt::format("{}Yours is read as {}.", words.empty() ? "" : " ", found.read_as);
  if (words.empty()) return area.min.y;
  const float height = paragraph(ui, area, Type::words12, ui.colors.text, with_minus_signs(words));
  ui.mark("bug_lab/where/" + words, {area.min, {area.max.x, area.min.y + height}});
  return area.min.y + height;
}

std::string percent(double share) {
  return fmt::format("{:.3g}%", 100 * share);
}

// One set of mistakes: its names, a bar as long as its share of the difference, and both shares.
float draw_share(Ui& ui, const DiagnosisExplanation& each, bool explains, const Rect& row) {
  Rect rest = row;
  const Type type = explains ? Type::mono_bold12 : Type::mono12;
  text_in(ui, take_right(rest, ui.px(76), ui.px(8)), type, ui.colors.text, percent(each.cells), 1);
  text_in(ui, take_right(rest, ui.px(94), ui.px(8)), type, ui.colors.text, percent(each.share), 1);
  const Rect bar = take_right(rest, std::floor(row.width() * 0.24f), ui.px(8));
  const float top = std::round(bar.center().y - ui.px(4));
  fill({{bar.min.x, top}, {bar.max.x, top + ui.px(8)}}, ui.colors.well);
  const auto share = static_cast<float>(std::clamp(each.share, 0.0, 1.0));
  fill({{bar.min.x, top}, {bar.min.x + std::max(ui.px(2), std::round(bar.width() * share)), top + ui.px(8)}},
       explains ? ui.colors.warn : ui.colors.edge);
  text_in(ui, rest, type, explains ? ui.colors.text : ui.colors.text2,
          given(shortened_to(ui, type, names_text(each.variants), rest.width())));
  ui.mark("bug_lab/share/" + names_text(each.variants), row);
  return row.max.y;
}

// What explains it, then what comes nearest; returns the y below.
float draw_shares(Ui& ui, const TensorComparison& found, const StageComparison& stage, const Rect& area) {
  float y = area.min.y;
  if (!stage.explanations.empty() || !stage.nearest.empty()) {
    const Rect titles{{area.min.x, y}, {area.max.x, y + ui.px(22)}};
    Rect rest = titles;
    text_in(ui, take_right(rest, ui.px(76), ui.px(8)), Type::words11, ui.colors.text2, "of the cells", 1);
    text_in(ui, take_right(rest, ui.px(94), ui.px(8)), Type::words11, ui.colors.text2, "of the difference", 1);
    text_in(ui, rest, Type::words11, ui.colors.text2, stage.explanations.empty() ? "nearest mistake" : "mistake");
    horizontal_line(ui, area.min.x, area.max.x, titles.max.y, ui.colors.line);
    y = titles.max.y + ui.px(2);
  }
  const auto draw = [&](const std::vector<DiagnosisExplanation>& sets, bool explains) {
    for (const DiagnosisExplanation& each : sets) {
      y = draw_share(ui, each, explains, {{area.min.x, y}, {area.max.x, y + ui.px(21)}});
    }
  };
  draw(stage.explanations, true);
  draw(stage.nearest, false);
  std::string words = fmt::format("{} sets of mistakes and conventions tried.", stage.tried);
  if (stage.explanations.size() > 1) words += " Those that explain all of it cannot be told apart on this input.";
  if (found.diagnosis.stages.size() == 1) words += " Add more stages to see where it starts.";
  y += ui.px(3);
  return y + paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text2, words);
}

// A line of code on the ground of what is wrong or right.
float draw_line(Ui& ui, const Rect& area, float y, std::string_view code, bool right) {
  if (code.empty()) return y;
  const Rect row{{area.min.x, y}, {area.max.x, y + ui.px(20)}};
  fill(row, right ? ui.colors.ok_ground : ui.colors.bad_ground);
  const Rgba ink = right ? ui.colors.ok : ui.colors.bad;
  Rect words{{row.min.x + ui.px(8), row.min.y}, {row.max.x - ui.px(8), row.max.y}};
  text_in(ui, words, Type::mono11, ink, right ? "+" : "\u2212");
  words.min.x += ui.px(18);
  text_in(ui, words, Type::mono11, ink, shortened_to(ui, Type::mono11, std::string(code), words.width()));
  return row.max.y;
}

float draw_mistake(Ui& ui, const MistakeRow& row, const MistakeCode& code, const Rect& area, float y) {
  text_in(ui, {{area.min.x, y}, {area.max.x, y + ui.px(20)}}, Type::mono_bold12, ui.colors.text, row.name);
  y += ui.px(20);
  const std::string sentence = fmt::format("{}.", row.sentence);
  y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text2, sentence) + ui.px(3);
  y = draw_line(ui, area, y, code.wrong, false);
  return draw_line(ui, area, y, code.right, true) + ui.px(8);
}

}  // namespace

void draw_lab_answers(Ui& ui, const TensorComparison& found, StageId stage, const Rect& area) {
  const StageComparison& told = stage_of_answer(found, stage);
  float& content = ui.state.panels.get<BugLabState>().answers_height;
  const ScrollArea scroll = begin_scroll(ui, "bug_lab/answers", area, content);
  const float top = area.min.y - scroll.offset;
  const float right = area.max.x - (content > area.height() ? ui.px(12) : 0);
  float y = draw_verdict(ui, told, {{area.min.x, top}, {right, top}}) + ui.px(6);
  y = draw_where(ui, told, {{area.min.x, y}, {right, y}}) + ui.px(4);
  if (!told.equal) y = draw_shares(ui, found, told, {{area.min.x, y}, {right, y}});
  end_scroll(ui);
  if (content != y - top) ui.state.wants_frame = true;
  content = y - top;
}

void draw_lab_code(Ui& ui, const TensorComparison& found, StageId stage, const Rect& area) {
  ui.mark("bug_lab/code", area);
  const StageComparison& told = stage_of_answer(found, stage);
  const float padding = ui.px(size::panel_padding);
  const std::vector<DiagnosisExplanation>& sets = told.explanations.empty() ? told.nearest : told.explanations;
  const char* title = told.equal                  ? "Nothing to correct in this stage"
                      : sets.empty()              ? "No known mistake comes near"
                      : told.explanations.empty() ? "The nearest known mistake, which does not explain it"
                                                  : "As the code probably stands, and as it should";
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(36)}};
  text_in(ui, {{header.min.x + padding, header.min.y}, header.max}, Type::title13, ui.colors.text, title);
  if (told.equal || sets.empty()) return;
  const Rect body{{area.min.x + padding, header.max.y}, {area.max.x - padding, area.max.y - ui.px(4)}};
  float& content = ui.state.panels.get<BugLabState>().code_height;
  const ScrollArea scroll = begin_scroll(ui, "bug_lab/code", body, content);
  const float top = body.min.y - scroll.offset;
  float y = top;
  for (const MistakeCode& code : sets.front().code) {
    if (const MistakeRow* row = mistake_named(code.mistake)) y = draw_mistake(ui, *row, code, body, y);
  }
  end_scroll(ui);
  if (content != y - top) ui.state.wants_frame = true;
  content = y - top;
}

}  // namespace headscope::ui

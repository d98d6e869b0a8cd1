#include "app/ui/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 36, kBox = 52, kPitch = 18;

// Title and the buttons at its right: back, forward, copy.
void write_title(Writer& to, const std::string& title, const CellReport* report) {
  Ui& ui = to.ui;
  Rect rest = to.line(ui.px(kTitle));
  if (!to.sees(rest.min.y, rest.max.y)) return;
  const float top = std::round(rest.center().y - ui.px(12));
  const auto place = [&](float gap) {
    const Rect cut = take_right(rest, ui.px(26), ui.px(gap));
    return Rect{{cut.min.x, top}, {cut.max.x, top + ui.px(24)}};
  };
  const bool exact = !to.data.trace().preview;
  const ControlState copy{report != nullptr && ui.set_clipboard != nullptr, false,
                          exact ? "Copy the explanation: every operand and step, tabs between."
                                : "The exact numbers of the last edit are not there yet."};
  if (icon_button(ui, "inspector/where/copy", place(4), Icon::copy, copy) && report != nullptr && ui.set_clipboard) {
    ui.set_clipboard(report_text(*report));
  }
  const ControlState forward{can_go(ui, false), false, "Forward to where you came back from (Alt+Right)."};
  const ControlState back{can_go(ui, true), false, "Back to the number that you jumped from (Alt+Left)."};
  if (icon_button(ui, "inspector/where/forward", place(2), Icon::chevron_right, forward)) {
    ui.push(CommandId::explain_forward);
  }
  if (icon_button(ui, "inspector/where/back", place(8), Icon::chevron_left, back)) ui.push(CommandId::explain_back);
  const bool narrow = text_width(ui, Type::title12, title) > rest.width();
  text_in(ui, rest, Type::title12, ui.colors.text, narrow ? "Where from" : title);
}

// The cell, what it is, its value.
void write_cell(Writer& to, const CellPlace& place, double value, bool is_strongest) {
  Ui& ui = to.ui;
  const Rect box = to.line(ui.px(kBox));
  to.y += ui.px(6);
  if (!to.sees(box.min.y, box.max.y)) return;
  fill(box, ui.colors.tint, ui.px(size::radius_field));
  outline(ui, box, ui.colors.accent, 1.5f, ui.px(size::radius_field));
  ui.mark("inspector/where/cell", box);
  Rect rest{{box.min.x + ui.px(12), box.min.y + ui.px(6)}, {box.max.x - ui.px(12), box.max.y - ui.px(6)}};
  const std::string number = explained_number(value);
  const float width = std::ceil(text_width(ui, Type::mono_bold20, number)) + 1;
  text_in(ui, take_right(rest, width, ui.px(10)), Type::mono_bold20, ui.colors.text, number, 1);
  const float middle = std::round(rest.center().y);
  text_in(ui, {rest.min, {rest.max.x, middle}}, Type::mono_bold12, ui.colors.text,
          cell_name(stage_name(place.stage), place.index));
  Rect words{{rest.min.x, middle}, rest.max};
  std::vector<RoleText> pieces = cell_words(to.data, place);
  if (is_strongest) pieces.insert(pieces.begin(), {"strongest link: ", TextRole::plain});
  for (const RoleText& piece : pieces) {
    const Type type = piece.role == TextRole::plain ? Type::words12 : Type::mono_bold12;
    if (words.width() < ui.px(8)) break;
    const Words own_words = piece.role == TextRole::plain ? Words(piece.text) : given(piece.text);
    const float own = std::ceil(text_width(ui, type, own_words));
    // The index above has the head, too.
    if (piece.role == TextRole::plain && own > words.width()) break;
    const float most = piece.role == TextRole::plain ? words.width() : std::min(words.width(), ui.px(120));
    text_in(ui, {words.min, {words.min.x + std::min(own, most) + 1, words.max.y}}, type, role_color(ui, piece.role),
            own_words);
    words.min.x += std::min(own, most);
  }
  const std::string digits = headscope::operand_text(value);
  point_at(to, box, digits, fmt::format("{}\t{}\n", cell_name(stage_name(place.stage), place.index), digits));
}

void write_sentence(Writer& to, const std::string& sentence) {
  const Rect place{{to.area.min.x, to.y}, {to.area.max.x, to.y + to.ui.px(60)}};
  to.y += paragraph(to.ui, place, Type::words12, to.ui.colors.text2, sentence) + to.ui.px(8);
}

// What was found under the mouse is lit from the next frame on.
void take_lit_step(Ui& ui) {
  LitStepState& state = ui.state.panels.get<LitStepState>();
  if (state.lit != state.next) ui.wake_in(0);
  state.lit = state.next;
  state.next.reset();
}

void write_report(Writer& to, const CellReport& report) {
  write_formula(to, report);
  write_steps(to, report);
  const bool by_feature = report.root().stage == StageId::raw_scores && !report.terms.empty();
  if (by_feature) {
    write_features(to, report, true);
  } else if (!report.left_row.empty()) {
    write_sum(to, report);
  }
  write_turned(to, report);
  if (report.weight) write_largest_operand(to, report);
  to.y += to.ui.px(8);
}

}  // namespace

Rgba operand_color(const Ui& ui, const Operand& operand) {
  switch (operand.role) {
    case SourceRole::query:
      return ui.colors.query;
    case SourceRole::key:
      return ui.colors.key;
    case SourceRole::value:
      return ui.colors.value;
    default:
      return ui.colors.text;
  }
}

std::string explained_number(double value, int decimals) {
  return number_label(value, decimals, true);
}

void point_at(Writer& to, const Rect& rect, const std::string& cell, const std::string& row) {
  if (!mouse_over(to.ui, rect)) return;
  const auto all = [report = to.report] { return report ? report_text(*report) : std::string(); };
  explain_state(to.ui).next_pointed = PointedText{cell, [row] { return row; }, all};
}

void operand_link(Writer& to, const OperandLink& link) {
  Ui& ui = to.ui;
  const Interaction mouse =
      interact_mouse(ui, link.name, link.rect, {true, false, "Show this number in its own tensor."}, false);
  text_in(ui, link.rect, link.type, link.color, link.text, link.align);
  if (mouse.hovered) {
    const float width = std::min(link.rect.width(), text_width(ui, link.type, link.text));
    const float left = link.rect.min.x + (link.rect.width() - width) * link.align;
    horizontal_line(ui, left, left + width, std::round(link.rect.center().y + ui.px(8)), link.color);
    const auto stage = stage_named(link.operand.stage);
    if (stage && to.data.trace().find(*stage) != nullptr) {
      ui.state.next_hover.cell = CellPlace{*stage, link.operand.index};
    }
  }
  if (mouse.clicked) jump_to_operand(ui, to.data.trace(), link.operand, to.place);
}

void write_pieces(Writer& to, Type type, const std::vector<RoleText>& pieces, const Operand* target) {
  Ui& ui = to.ui;
  float x = to.area.min.x;
  const float height = ui.px(kPitch);
  const auto put = [&](const RoleText& piece, std::string_view word) {
    const float width = std::ceil(text_width(ui, type, given(word)));
    if (x > to.area.min.x && x + width > to.area.max.x) {
      x = to.area.min.x;
      to.y += height;
    }
    const Rect rect{{x, to.y}, {x + width + 1, to.y + height}};
    x += width;
    if (!to.sees(rect.min.y, rect.max.y)) return;
    if (piece.role == TextRole::link && target != nullptr) {
      operand_link(to, {.name = fmt::format("inspector/where/{}", word),
                        .rect = rect,
                        .type = type,
                        .color = role_color(ui, piece.role),
                        .text = std::string(word),
                        .operand = *target});
    } else {
      text_in(ui, rect, type, role_color(ui, piece.role), given(word));
    }
  };
  for (const RoleText& piece : pieces) {
    // Names stay whole; other text breaks between words.
    if (piece.role != TextRole::plain) {
      put(piece, piece.text);
      continue;
    }
    const std::string words(said(ui, piece.text));
    for (std::size_t at = 0; at < words.size();) {
      std::size_t end = words.find(' ', at);
      end = end == std::string::npos ? words.size() : end + 1;
      put(piece, std::string_view(words).substr(at, end - at));
      at = end;
    }
  }
  to.y += height;
}

float draw_explanation(Ui& ui, PanelData& data, const std::optional<Explained>& what, const Rect& area,
                       const Rect& visible, const std::string& title) {
  ui.mark("inspector/where",
          {{area.min.x, std::max(area.min.y, visible.min.y)}, {area.max.x, std::min(area.max.y, visible.max.y)}});
  Writer to{ui, data, what ? what->place : CellPlace{}, nullptr, area, visible, area.min.y};
  const bool preview = data.trace().preview;
  Explanations::Answer answer;
  if (what && !preview) {
    answer = ui.session.background.explanations.report(data.shared_trace(), what->place.stage, what->place.index);
  }
  const CellReport* report = answer.report.get();
  to.report = answer.report;
  if (!title.empty()) write_title(to, title, report);
  if (const std::optional<FilePlace> file = file_place(ui, data.trace())) {
    write_file_place(to, *file);
  } else if (!what) {
    write_sentence(to, "Click a cell to see how it was computed.");
  } else if (preview) {
    write_sentence(to, "The exact numbers of the last edit are being computed; the explanation follows.");
  } else if (report != nullptr) {
    write_cell(to, what->place, report->cell().value, what->is_strongest);
    write_report(to, *report);
  } else {
    write_sentence(to, answer.failure.empty()
                           ? "Reading what feeds " + cell_name(stage_name(what->place.stage), what->place.index) + "."
                           : "Not explained: " + control_words(answer.failure));
  }
  take_lit_step(ui);
  return to.y - area.min.y;
}

}  // namespace headscope::ui

#include "app/ui/request/request_panel.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/unfolded_rows.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/request/model_text.h"
#include "core/request/request_text.h"

namespace headscope::ui {

namespace {

constexpr float kAcrossControl = 132, kAcrossFull = 320, kAcrossGap = 16;

}  // namespace

Rect RequestRows::place_across(float width) {
  if (next.x > area.min.x && next.x + width > area.max.x) next = {area.min.x, next.y + ui.px(size::row_height)};
  const Rect place{next, {next.x + width, next.y + ui.px(size::control_height)}};
  next.x += width + ui.px(kAcrossGap);
  return place;
}

void RequestRows::section(const char* title, const std::string& state_text) {
  if (across) {
    across_state = state_text;
    return text_in(ui, place_across(std::ceil(text_width(ui, Type::title13, title)) + 1), Type::title13, ui.colors.text,
                   title);
  }
  horizontal_line(ui, area.min.x, area.max.x, y, ui.colors.line);
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, y + ui.px(8)}, {area.max.x - padding, y + ui.px(32)}};
  const float width = std::ceil(text_width(ui, Type::title12, title));
  text_in(ui, take_left(line, width + 1, ui.px(10)), Type::title12, ui.colors.text, title);
  if (!state_text.empty()) text_in(ui, line, Type::words12, ui.colors.text2, state_text, 1);
  y += ui.px(36);
  after_full_row = false;
}

Rect RequestRows::control(const char* label) {
  if (across) {
    const float width = std::ceil(text_width(ui, Type::words12, label)) + 1, gap = *label == '\0' ? 0 : ui.px(8);
    Rect place = place_across(width + gap + ui.px(kAcrossControl));
    text_in(ui, take_left(place, width, gap), Type::words12, ui.colors.text2, label);
    return place;
  }
  const float padding = ui.px(size::panel_padding), height = ui.px(size::control_height);
  const float split = std::round(ui.px(104) * std::max(1.0f, area.width() / ui.px(264)));
  text_in(ui, {{area.min.x + padding, y}, {area.min.x + split - ui.px(6), y + height}}, Type::words12, ui.colors.text2,
          label);
  const Rect result{{area.min.x + split, y}, {area.max.x - padding, y + height}};
  y += ui.px(size::row_height);
  after_full_row = false;
  return result;
}

Rect RequestRows::full(float height) {
  if (across) {
    const Rect place = place_across(std::min(ui.px(kAcrossFull), area.width()));
    // What is higher than a control stands around its middle.
    const float most = std::min(height, size::row_height + 4), above = (most - size::control_height) / 2;
    const float top = place.min.y - ui.px(std::max(0.0f, above));
    return {{place.min.x, top}, {place.max.x, top + ui.px(most)}};
  }
  const float padding = ui.px(size::panel_padding);
  const Rect result{{area.min.x + padding, y}, {area.max.x - padding, y + ui.px(height)}};
  y += ui.px(height + 6);
  after_full_row = true;
  return result;
}

void RequestRows::locked(const char* label, const std::string& value, const char* why) {
  Rect place = control(label);
  y += ui.px(size::readonly_row_height - size::row_height);
  if (why != nullptr) {
    locked_value(ui, place, value, why);
  } else {
    text_in(ui, place, Type::mono12, ui.colors.text2, value);
  }
  // The section's line keeps its distance to a row without a box.
  after_full_row = false;
}

bool RequestRows::has_problem(const std::string& option) const {
  const auto& problem = ui.session.problem();
  return problem && problem->option == option;
}

const char* RequestRows::lock(std::initializer_list<const char*> options) const {
  const auto trace = ui.session.trace();
  const Request& draft = ui.session.draft;
  if (trace == nullptr || trace->model == nullptr || trace->model->capture == nullptr) return nullptr;
  if (!same_base(trace->request.model, draft.model) || !draft.weights.empty() || is_attention_alone(draft))
    return nullptr;
  const Request plain;
  const char* why = nullptr;
  for (const char* name : options) {
    const RequestOption* option = find_request_option(name);
    why = capture_lock(*trace->model->capture, name);
    if (why == nullptr || option == nullptr || option->get(draft) != option->get(plain)) return nullptr;
  }
  return why;
}

ControlState RequestRows::state(const std::string& option, const char* tooltip, bool enabled) const {
  const char* why = lock({option.c_str()});
  return {enabled && why == nullptr, has_problem(option), why != nullptr ? why : tooltip};
}

void RequestRows::problem(const std::string& option) {
  if (across || !has_problem(option)) return;
  const float margin = ui.px(10);
  const Rect place{{area.min.x + margin, y - ui.px(1)}, {area.max.x - margin, y}};
  y += problem_box(ui, "request/problem", place, *ui.session.problem()) + ui.px(11);
}

void RequestRows::end_section() {
  if (after_full_row) y += ui.px(2);
}

bool disclosure(RequestRows& rows, const std::string& name, const std::string& label, bool forced_open) {
  Ui& ui = rows.ui;
  bool& open = ui.state.panels.get<UnfoldedRows>().open[name];
  const Rect place = rows.full(22);
  const bool shown = forced_open || open;
  const ControlState state{!forced_open, false,
                           forced_open ? "Open, because one of these rows is not at its default."
                                       : "Shows or hides the rows that one changes seldom."};
  const Interaction it = interact(ui, name, place, state);
  if (it.clicked) open = !open;
  const Rgba ink = it.hovered ? ui.colors.text : ui.colors.text3;
  const ImVec2 middle{place.min.x + ui.px(4), std::round(place.center().y)};
  draw_icon(ui, shown ? Icon::chevron_down : Icon::chevron_right, middle, ui.px(8), ink);
  text_in(ui, {{place.min.x + ui.px(14), place.min.y}, place.max}, Type::words12, ink, label);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(2)), ui.px(size::radius_control));
  rows.after_full_row = false;
  return shown;
}

bool close_request_over(Ui& ui) {
  OnScreen& shown = ui.state.panels.get<ShellState>().on_screen;
  if (!shown.request_over) return false;
  ui.session.view.request_opened_by_hand = false;
  shown.request_over = false;
  if (ui.state.focus.starts_with("request/")) ui.state.focus.clear();
  ui.session.end_undo_step();
  ui.state.wants_frame = true;
  return true;
}

namespace {

// The title, and at the right undo, redo and an x.
void draw_header(Ui& ui, const Rect& area) {
  const float side = ui.px(24);
  Rect controls{{area.min.x, area.min.y + ui.px(8)}, {area.max.x - ui.px(6), area.min.y + ui.px(8) + side}};
  const auto square = [&] { return take_right(controls, side, 0); };
  const bool over = ui.state.panels.get<ShellState>().on_screen.request_over;
  const ControlState close{true, false,
                           over ? "Closes the panel; so do Esc, a click beside it and F9." : "Closes the panel (F9)."};
  const Rect close_place = square();
  ControlState redo{ui.session.can_redo(), false, "Does again what was undone (Ctrl+Shift+Z)."};
  if (!redo.enabled) redo.tooltip = "Nothing was undone.";
  const Rect redo_place = square();
  ControlState undo{ui.session.can_undo(), false, "Takes the last change of the request back (Ctrl+Z)."};
  if (!undo.enabled) undo.tooltip = "Nothing was changed yet.";
  if (icon_button(ui, "request/undo", square(), Icon::undo, undo)) ui.push(CommandId::undo);
  if (icon_button(ui, "request/redo", redo_place, Icon::redo, redo)) ui.push(CommandId::redo);
  if (icon_button(ui, "request/close", close_place, Icon::close, close)) ui.push(CommandId::toggle_request);
  panel_header(ui, {area.min, {controls.max.x + ui.px(size::panel_padding - 2), area.max.y}}, "Request",
               "what is computed");
}

}  // namespace

void draw_request_panel(Ui& ui, const Rect& area) {
  draw_header(ui, area);
  const Rect body{{area.min.x, area.min.y + ui.px(size::panel_header)}, area.max};
  ui.mark("request", body);
  float& content = ui.state.panels.get<RequestPanelState>().content_height;
  const ScrollArea scroll = begin_scroll(ui, "request", body, content);
  const float top = body.min.y - scroll.offset;
  RequestRows rows{ui, {{body.min.x, body.min.y}, {body.max.x - std::max(1.0f, ui.px(1)), body.max.y}}, top};
  rows.area.max.x = body.max.x;
  draw_model_section(rows);
  draw_mask_section(rows);
  draw_scores_section(rows);
  draw_merge_section(rows);
  draw_keys_section(rows);
  draw_interventions_section(rows);
  draw_compute_section(rows);
  draw_command_section(rows);
  draw_shown_section(rows);
  end_scroll(ui);
  const float height = std::round(rows.y - top);
  if (height != content) {
    content = height;
    ui.state.wants_frame = true;
  }
}

}  // namespace headscope::ui

// Commands that change how one looks at a result, and those of the clipboard.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/session/settings_values.h"
#include "app/ui/aloud/aloud.h"
#include "app/ui/command_actions.h"
#include "app/ui/inspector/cell_finder.h"
#include "app/ui/layout.h"
#include "app/ui/main_view.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/pipeline_cards.h"
#include "app/ui/shell_state.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "app/ui/updates/updates_strip.h"
#include "core/request/request_text.h"

namespace headscope::ui {

namespace {

// Numbers that are copied once they are exact; nullopt: none.
struct CopyWaits {
  std::optional<CopyWhat> what;
};

template <int by>
void step_head(Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->num_heads() == 0) return;
  std::int64_t& head = ui.session.view.head;
  head = (head + by + trace->num_heads()) % trace->num_heads();
}

void select_head(Ui& ui, const std::string& argument) {
  const auto trace = ui.session.trace();
  const std::int64_t head = std::atoll(argument.c_str());
  if (trace != nullptr && head >= 0 && head < trace->num_heads()) ui.session.view.head = head;
}

template <int by>
void step_stage(Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->stages.empty()) return;
  const StageId shown = selection_of(ui.session.view, *trace).stage;
  select_stage(ui.session.view, neighbour_stage(*trace, shown, by));
}

void set_ui_scale(Ui& ui, double scale) {
  ui.settings.ui_scale = std::clamp(std::round(scale * 10) / 10, kSmallestScale, kLargestScale);
}

void toggle_theme(Ui& ui) {
  Theme& theme = ui.settings.theme;
  theme = theme == Theme::dark ? Theme::light : Theme::dark;
}

template <bool ViewState::*flag>
void toggle(Ui& ui) {
  ui.session.view.*flag = !(ui.session.view.*flag);
}

// Where there is no room the rail opens by hand; elsewhere the panel collapses.
void toggle_request(Ui& ui) {
  const bool narrow = ImGui::GetIO().DisplaySize.x / ui.scale < request_from(shown_main_view(ui));
  bool& flag = narrow ? ui.session.view.request_opened_by_hand : ui.session.view.request_collapsed;
  flag = !flag;
}

void toggle_inspector(Ui& ui) {
  if (ImGui::GetIO().DisplaySize.x / ui.scale >= 1100) return toggle<&ViewState::inspector_collapsed>(ui);
  bool& tab = ui.state.panels.get<ShellState>().inspector_tab;
  tab = !tab;
}

// Where concat has no room of its own it opens at the cost of the heads.
void toggle_concat(Ui& ui) {
  constexpr float kOpened = 140;
  ViewState& view = ui.session.view;
  if (!ui.state.panels.get<ShellState>().concat_header_only) {
    view.concat_collapsed = true;
    return;
  }
  if (!view.concat_collapsed) view.concat_height = kOpened;
  view.concat_collapsed = false;
}

void unfold_all(Ui& ui) {
  ViewState& view = ui.session.view;
  std::optional<PanelLayout>& folded = ui.settings.folded;
  const PanelLayout now = panel_layout_of(view);
  if (is_folded(now)) {
    folded = now;
    set_panel_layout(view, unfolded(now));
    return;
  }
  set_panel_layout(view, with_folds_of(now, folded.value_or(first_panel_layout())));
  folded.reset();
}

void fit_heatmap(Ui& ui) {
  ViewState& view = ui.session.view;
  view.viewport = {};
  view.stage_viewport = {};
  view.weights.viewport = {};
}

// Copies, or, of a preview, waits for the exact numbers (copy_when_exact).
void copy_numbers(Ui& ui, CopyWhat what) {
  const auto trace = ui.session.trace();
  if (trace != nullptr && trace->preview) {
    ui.state.panels.get<CopyWaits>().what = what;
    return;
  }
  ui.state.panels.get<CopyWaits>().what.reset();
  const std::string text = text_at_cursor(ui, what);
  if (!text.empty() && ui.set_clipboard) ui.set_clipboard(text);
}

void copy_command(Ui& ui) {
  if (ui.set_clipboard) ui.set_clipboard(shell_command_of(ui.session.draft, "headscope-cli run"));
}

const CommandAction kActions[] = {
    {CommandId::copy_cell, [](Ui& ui, const std::string&) { copy_numbers(ui, CopyWhat::cell); }},
    {CommandId::copy_row, [](Ui& ui, const std::string&) { copy_numbers(ui, CopyWhat::row); }},
    {CommandId::copy_matrix, [](Ui& ui, const std::string&) { copy_numbers(ui, CopyWhat::matrix); }},
    {CommandId::copy_summary, [](Ui& ui, const std::string&) { copy_numbers(ui, CopyWhat::summary); }},
    {CommandId::say_head, plain<say_head>},
    {CommandId::play_row, plain<play_row>},
    {CommandId::copy_command, plain<copy_command>},
    {CommandId::toggle_theme, plain<toggle_theme>},
    {CommandId::scale_up, [](Ui& ui, const std::string&) { set_ui_scale(ui, ui.settings.ui_scale + 0.1); }},
    {CommandId::scale_down, [](Ui& ui, const std::string&) { set_ui_scale(ui, ui.settings.ui_scale - 0.1); }},
    {CommandId::scale_reset, [](Ui& ui, const std::string&) { set_ui_scale(ui, 1); }},
    {CommandId::toggle_request, plain<toggle_request>},
    {CommandId::toggle_pipeline, plain<toggle<&ViewState::pipeline_collapsed>>},
    {CommandId::toggle_concat, plain<toggle_concat>},
    {CommandId::toggle_inspector, plain<toggle_inspector>},
    {CommandId::unfold_all, plain<unfold_all>},
    {CommandId::start, [](Ui& ui, const std::string&) { ui.settings.start_open = !ui.settings.start_open; }},
    {CommandId::fit_heatmap, plain<fit_heatmap>},
    {CommandId::find_cell, plain<open_cell_finder>},
    {CommandId::update_before, plain<show_update_before>},
    {CommandId::next_update, plain<show_next_update>},
    {CommandId::newest_update, plain<show_newest_update>},
    {CommandId::play_updates, plain<play_updates>},
    {CommandId::update_frames, plain<export_updates>},
    {CommandId::next_head, plain<step_head<1>>},
    {CommandId::previous_head, plain<step_head<-1>>},
    {CommandId::select_head, select_head},
    {CommandId::next_stage, plain<step_stage<1>>},
    {CommandId::previous_stage, plain<step_stage<-1>>},
    {CommandId::explain_back, [](Ui& ui, const std::string&) { go_back_or_forward(ui, true); }},
    {CommandId::explain_forward, [](Ui& ui, const std::string&) { go_back_or_forward(ui, false); }},
};

}  // namespace

void copy_when_exact(Ui& ui) {
  const std::optional<CopyWhat> what = ui.state.panels.get<CopyWaits>().what;
  const auto trace = ui.session.trace();
  if (!what || (trace != nullptr && trace->preview)) return;
  copy_numbers(ui, *what);
}

std::span<const CommandAction> look_commands() {
  return kActions;
}

}  // namespace headscope::ui

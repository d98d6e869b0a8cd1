// The window as one picture: layers, focus, panels, dialogs, what lies over them, commands.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/aloud/aloud.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/document_title.h"
#include "app/ui/frame_state.h"
#include "app/ui/guide/callout.h"
#include "app/ui/guide/example_cards.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide/languages.h"
#include "app/ui/guide/lesson_strip.h"
#include "app/ui/guide/start_cards.h"
#include "app/ui/guide/terms.h"
#include "app/ui/guide/tour.h"
#include "app/ui/headline.h"
#include "app/ui/heads/arcs.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/heads/one_head.h"
#include "app/ui/layout.h"
#include "app/ui/leaving.h"
#include "app/ui/main_view.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/panel_borders.h"
#include "app/ui/panels.h"
#include "app/ui/recipe_check.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/request/request_facts.h"
#include "app/ui/shell_state.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "app/ui/updates/updates_strip.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/term_tips.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

void begin_window() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("##headscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar(4);
}

void draw_grounds(Ui& ui, const Layout& layout) {
  fill({layout.menu.min, {layout.menu.max.x, layout.views.max.y}}, ui.colors.chrome);
  fill(layout.status, ui.colors.chrome);
}

void draw_tab_bar(Ui& ui, const Layout& layout) {
  const float padding = ui.px(size::panel_padding);
  const float top = layout.tab_bar.min.y + ui.px(6);
  const Rect place{{layout.tab_bar.min.x + padding, top},
                   {layout.tab_bar.min.x + padding + ui.px(190), top + ui.px(24)}};
  int selected = layout.show_inspector ? 1 : 0;
  ControlState state;
  state.tooltip = "In a narrow window heads and inspector share one place (F4).";
  if (segments(ui, "tabs", place, {"heads", "inspector"}, selected, state))
    ui.state.panels.get<ShellState>().inspector_tab = selected == 1;
}

void draw_inspector_rail(Ui& ui, const Rect& area) {
  ControlState state;
  state.tooltip = "Open the inspector (F4).";
  const float side = ui.px(24);
  const Rect place{{std::round(area.center().x - side / 2), area.min.y + ui.px(8)},
                   {std::round(area.center().x - side / 2) + side, area.min.y + ui.px(8) + side}};
  if (icon_button(ui, "inspector/open", place, Icon::sidebar, state)) ui.push(CommandId::toggle_inspector);
  text_up(ui, {area.center().x - ui.px(8), place.max.y + ui.px(14) + text_width(ui, Type::words13, "Inspector")},
          Type::words13, ui.colors.text2, "Inspector");
}

// Under the picture while a newer result is on its way for longer than one would notice.
void draw_stale_line(Ui& ui, const Layout& layout) {
  if (!ui.session.computing()) return;
  const auto running = ui.session.computing_for(std::chrono::steady_clock::now());
  const double seconds = std::chrono::duration<double>(running).count();
  if (seconds < 0.15) return ui.wake_in(0.15 - seconds);
  const float thickness = ui.px(2);
  const auto line = [&](const Rect& r) { fill({{r.min.x, r.max.y - thickness}, r.max}, ui.colors.warn); };
  if (!layout.one_layer()) return line(layout.main);
  if (layout.show_heads) line(layout.heads);
  if (layout.show_inspector && !layout.inspector_rail) line(layout.inspector);
}

// Beside the lines stands what a score is made of; other tensors keep the inspector.
bool shows_neurons_beside(const Ui& ui) {
  return ui.session.view.heads_show == HeadsShow::arcs && is_score_like(ui.session.view.stage);
}

// Lines need less width than a grid of maps, features more than a map: unless its width was set by hand.
void widen_for_neurons(const Ui& ui, Layout& layout) {
  if (layout.tabs || layout.inspector_rail || !layout.show_heads) return;
  if (ui.session.view.inspector_width != ViewState().inspector_width) return;
  const float room = layout.heads.width() - ui.px(560), wish = ui.px(640) - layout.inspector.width();
  const float more = std::clamp(std::min(room, wish), 0.0f, ui.px(200));
  layout.inspector.min.x -= more;
  layout.heads.max.x -= more;
  layout.concat.max.x -= more;
}

void draw_panels(Ui& ui, const Layout& layout) {
  // In the order of Tab: from the top, left to right.
  draw_view_strip(ui, layout.views);
  if (layout.start.height() > 0) draw_start(ui, layout.start);
  if (!layout.request_folded && !layout.request_over) draw_request_panel(ui, layout.request);
  draw_phrase_panel(ui, layout.phrase);
  if (layout.facts.height() > 0) draw_request_facts(ui, layout.facts);
  if (layout.one_layer() && !layout.pipeline_hidden) draw_pipeline_strip(ui, layout.pipeline, !layout.pipeline_fixed);
  if (layout.notices.height() > 0) draw_notices(ui, layout.notices);
  const bool offers = offers_examples(ui);
  if (!layout.one_layer() && offers) draw_example_offers(ui, layout.main);
  if (!layout.one_layer() && !offers) draw_main_view(ui, layout.main);
  if (layout.tabs) draw_tab_bar(ui, layout);
  const HeadsShow heads_show = ui.session.view.heads_show;
  const Rect place{layout.heads.min, {layout.heads.max.x, layout.concat.max.y}};
  if (layout.show_heads && offers) {
    draw_example_offers(ui, place);
  } else if (layout.show_heads && heads_show == HeadsShow::one) {
    draw_one_head(ui, {layout.strip, layout.large, layout.words, layout.strip_names, layout.pipeline_hidden});
    if (layout.concat.height() > 0) draw_concat_panel(ui, layout.concat);
  } else if (layout.show_heads && heads_show != HeadsShow::grid) {
    // Lines and neurons take the room of concat too.
    if (heads_show == HeadsShow::arcs) {
      draw_arcs_panel(ui, place);
    } else {
      draw_neurons_panel(ui, place, false, layout.tabs || layout.inspector_rail);
    }
  } else if (layout.show_heads) {
    draw_heads_panel(ui, layout.heads);
    if (layout.concat.height() > 0) draw_concat_panel(ui, layout.concat);
  }
  if (layout.inspector_rail && layout.one_layer()) {
    draw_inspector_rail(ui, layout.inspector);
  } else if (layout.show_inspector && shows_neurons_beside(ui)) {
    draw_neurons_panel(ui, layout.inspector, true, true);
  } else if (layout.show_inspector) {
    draw_inspector(ui, layout.inspector);
  }
  // After the view, which says what it found.
  if (layout.one_layer()) say_headline(ui);
  if (!offers) draw_view_head(ui, layout.head, layout.finding, main_view_info(layout.main_view));
  draw_dividers(ui, layout);
  draw_stale_line(ui, layout);
  draw_panel_borders(ui, layout);
}

// The rows and columns of what one large head shows, where its cells are square; else none.
Cell square_cells(const Ui& ui, const Trace* trace) {
  if (trace == nullptr || !is_score_like(selection_of(ui.session.view, *trace).stage)) return {};
  return {trace->query_len(), trace->key_len()};
}

// True when a key, a click or the wheel came with this frame.
bool user_acts(const Ui& ui) {
  const ImGuiIO& io = ImGui::GetIO();
  return !ui.input.keys.empty() || !ui.input.characters.empty() || io.MouseClicked[0] || io.MouseClicked[1] ||
         io.MouseWheel != 0;
}

Layout layout_of_frame(Ui& ui, ImVec2 screen) {
  ShellState& shell = ui.state.panels.get<ShellState>();
  const float notices = notices_height(ui);
  const auto trace = ui.session.trace();
  const Cell large = square_cells(ui, trace.get());
  LayoutInput input{.width = screen.x,
                    .height = screen.y,
                    .scale = ui.scale,
                    .notices = notices,
                    .start = start_height(ui, screen.x),
                    .fact_row = fact_row_height(ui),
                    .lesson = lesson_height(ui, screen),
                    .updates = updates_height(ui),
                    .inspector_tab = shell.inspector_tab,
                    .main_view = shown_main_view(ui),
                    .has_concat = trace == nullptr || trace->find(StageId::concat) != nullptr,
                    .one_head = ui.session.view.heads_show == HeadsShow::one,
                    .rows = large.row,
                    .columns = large.column};
  input.finding = second_line(ui, layout_of(input, ui.session.view).head, main_view_info(input.main_view));
  Layout layout = layout_of(input, ui.session.view);
  shell.concat_header_only = layout.concat_header_only;
  if (!input.one_head && shell.inspector_expanded && layout.one_layer() && !layout.tabs && !layout.inspector_rail) {
    layout.inspector.min.x = layout.heads.min.x;
    layout.show_heads = false;
  }
  if (shows_neurons_beside(ui)) widen_for_neurons(ui, layout);
  shell.on_screen = on_screen_of(ui, layout);
  return layout;
}

// Layer 0: everything that no dialog and no list is drawn over.
void draw_ground_layer(Ui& ui, const Layout& layout, const Rect& window) {
  UiState& s = ui.state;
  draw_grounds(ui, layout);
  settle_text(ui);
  s.covered.clear();
  // What lies under the opened Request must not see the mouse.
  if (layout.request_over) s.covered.push_back(layout.request);
  cover_below_callout(ui);
  draw_panels(ui, layout);
  settle_text(ui);
  s.covered.clear();
  if (layout.request_over) {
    fill(layout.request, ui.colors.panel);
    draw_request_panel(ui, layout.request);
  }
  const float request_edge = layout.request.max.x - std::max(1.0f, ui.px(1));
  if (!layout.request_folded) divider(ui, {request_edge, layout.request.min.y}, {request_edge, layout.request.max.y});
  draw_updates_strip(ui, layout.updates);
  draw_lesson_strip(ui, layout.lesson);
  draw_status_bar(ui, layout.status);
  draw_menu_bar(ui, layout.menu);
  draw_tour(ui, window);
  draw_example_mistakes(ui, window);
}

// Layers 1 and 2: the open dialog; lists, menus and tooltips.
void draw_upper_layers(Ui& ui, const Rect& window) {
  ui.layer = 1;
  draw_dialogs(ui, window);
  draw_head_menu(ui);
  draw_number_edit(ui);
  ui.layer = 2;
  // An overlay may ask for another one (a tooltip over a list).
  for (std::size_t i = 0; i < ui.overlays.size(); ++i) {
    const auto draw = ui.overlays[i];
    draw(ui);
  }
  ui.overlays.clear();
  ui.layer = 0;
}

// Those that need the window itself stay in ui.commands.
void execute_commands(Ui& ui) {
  std::vector<Command> for_main;
  for (const Command& command : std::vector<Command>(std::move(ui.commands))) {
    if (!execute_command(ui, command)) {
      for_main.push_back(command);
    } else {
      ui.state.wants_frame = true;
    }
  }
  ui.commands = std::move(for_main);
}

}  // namespace

void draw_shell(Ui& ui) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  if (screen.x < 1 || screen.y < 1) return;
  begin_window();
  if (ui.translation == nullptr) ui.translation = translation_of(ui);
  begin_frame_state(ui.state, user_acts(ui));
  begin_explain_frame(ui);
  ui.state.panels.get<TermTips>().sentence_of = term_tip;
  if (ui.probe != nullptr) ui.probe->rects.clear();
  for (const std::string& path : ui.input.dropped) ui.push(CommandId::open_path, path);
  ui.input.dropped.clear();
  move_focus(ui);

  leave_views_behind(ui);
  update_document(ui);
  check_recipe(ui);
  const Layout layout = layout_of_frame(ui, screen);
  const Rect window{{0, 0}, screen};
  close_request_by_click(ui, layout);
  draw_ground_layer(ui, layout, window);
  draw_upper_layers(ui, window);
  end_frame_state(ui);

  if (ui.state.top_layer == 0 && ui.take_key(KeyName::escape)) leave_top(ui);
  push_shortcuts(ui);
  copy_when_exact(ui);
  follow_rows(ui);
  pin_when_exact(ui);
  execute_commands(ui);
  ui.settings.panels = panel_layout_of(ui.session.view);
  ImGui::End();
}

}  // namespace headscope::ui

#include "app/ui/main_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/session/session.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/assert.h"

namespace headscope::ui {

namespace {

void forget_notice(Ui& ui, const char* key) {
  std::erase_if(ui.state.notices, [&](const Notice& old) { return old.key == key; });
}

// Whether a view put the notice: its key is the view's word, or begins with it ("layer/copy_matrix").
bool is_of_view(const Notice& notice) {
  const std::string_view key = notice.key;
  return std::any_of(kMainViewWords.begin(), kMainViewWords.end(),
                     [&](const MainViewWord& row) { return key.substr(0, key.find('/')) == row.word; });
}

// Whether the command may go on; else a notice says why not.
bool passes_obstacle(Ui& ui, const MainViewInfo& info) {
  if (info.waits || info.obstacle == nullptr) return true;
  const char* key = main_view_word(info.view);
  const std::optional<ViewObstacle> obstacle = info.obstacle(ui);
  if (!obstacle) {
    forget_notice(ui, key);
    return true;
  }
  // Before the first result it is not known whether the view will have anything to show.
  MainView& wanted = ui.session.view.main_view;
  if (ui.session.trace() != nullptr && wanted == info.view) wanted = MainView::layer;
  put_notice(ui.state, {Notice::Kind::info, obstacle->fact, obstacle->advice, key});
  return false;
}

}  // namespace

const MainViewInfo& main_view_info(MainView view) {
  const std::span<const MainViewInfo> views = main_views();
  const auto found =
      std::find_if(views.begin(), views.end(), [&](const MainViewInfo& info) { return info.view == view; });
  HEADSCOPE_ASSERT(found != views.end(), fmt::format("main view {} has no row", static_cast<int>(view)));
  return *found;
}

const MainViewInfo* main_view_of(CommandId command) {
  for (const MainViewInfo& info : main_views()) {
    if (info.command == command && command != CommandId::none) return &info;
  }
  return nullptr;
}

std::optional<ViewObstacle> obstacle_of(const Ui& ui, const MainViewInfo& info) {
  return info.obstacle == nullptr ? std::nullopt : info.obstacle(ui);
}

MainView shown_main_view(const Ui& ui) {
  const MainViewInfo& wanted = main_view_info(ui.session.view.main_view);
  return obstacle_of(ui, wanted) ? MainView::layer : wanted.view;
}

bool leave_main_view(Ui& ui) {
  ShellState& shell = ui.state.panels.get<ShellState>();
  MainView& shown = ui.session.view.main_view;
  if (shown == MainView::layer && !shell.on_screen.enlarged) return false;
  if (shown != MainView::layer) ui.state.focus = std::exchange(shell.focus_before_view, std::string());
  shown = MainView::layer;
  shell.inspector_expanded = false;
  ui.state.wants_frame = true;
  return true;
}

void show_main_view(Ui& ui, const MainViewInfo& info) {
  if (info.view == MainView::layer) {
    leave_main_view(ui);
    return;
  }
  if (!passes_obstacle(ui, info)) return;
  if (info.before_toggle != nullptr) info.before_toggle(ui);
  MainView& shown = ui.session.view.main_view;
  std::string& before = ui.state.panels.get<ShellState>().focus_before_view;
  if (shown == MainView::layer) before = ui.state.focus.starts_with("views/") ? "" : ui.state.focus;
  shown = info.view;
  ui.state.focus = info.focus(ui);
  ui.state.focus_by_keyboard = true;
}

void toggle_main_view(Ui& ui, const MainViewInfo& info) {
  if (info.view == MainView::layer || ui.session.view.main_view != info.view) return show_main_view(ui, info);
  if (!passes_obstacle(ui, info)) return;
  if (info.before_toggle != nullptr) info.before_toggle(ui);
  leave_main_view(ui);
}

void open_one_layer(Ui& ui, std::int64_t layer, std::int64_t head) {
  ui.session.end_undo_step();
  ViewState& view = ui.session.view;
  if (head >= 0) view.head = head;
  ui.session.draft.layer = layer;
  view.stage = view.quantity = StageId::weights;
  view.main_view = MainView::layer;
  ui.state.focus = "heads/" + std::to_string(view.head);
}

void leave_views_behind(Ui& ui) {
  ShellState& shell = ui.state.panels.get<ShellState>();
  std::optional<MainView>& last = shell.shown;
  const MainView now = shown_main_view(ui);
  shell.last_of_group[main_view_info(now).group] = now;
  if (last && *last != now) {
    std::erase_if(ui.state.notices, is_of_view);
    if (const auto let_go = main_view_info(*last).let_go; let_go != nullptr) let_go(ui);
  }
  last = now;
}

void draw_main_view(Ui& ui, const Rect& area) {
  const MainViewInfo& shown = main_view_info(shown_main_view(ui));
  if (shown.draw == nullptr) return;
  // A very low window has no room for all of a view: nothing of it lies over the status bar.
  canvas().PushClipRect(area.min, area.max, true);
  shown.draw(ui, area);
  canvas().PopClipRect();
}

}  // namespace headscope::ui

#include "app/ui/main_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/session/session.h"
#include "core/base/assert.h"

namespace headscope::ui {

namespace {

void forget_notice(Ui& ui, const char* key) {
  std::erase_if(ui.state.notices, [&](const Notice& old) { return old.key == key; });
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
  if (ui.session.trace() != nullptr) ui.session.view.main_view = MainView::layer;
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

void toggle_main_view(Ui& ui, const MainViewInfo& info) {
  if (!passes_obstacle(ui, info)) return;
  if (info.before_toggle != nullptr) info.before_toggle(ui);
  MainView& shown = ui.session.view.main_view;
  shown = shown == info.view ? MainView::layer : info.view;
  if (shown != info.view) return;
  ui.state.focus = info.focus(ui);
  ui.state.focus_by_keyboard = true;
}

void draw_main_view(Ui& ui, const Rect& area) {
  const MainViewInfo& shown = main_view_info(shown_main_view(ui));
  if (shown.draw != nullptr) shown.draw(ui, area);
}

}  // namespace headscope::ui

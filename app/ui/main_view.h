// Which view has the room under the phrase: one layer's panels, or one that takes their place. main_views() has a row
// for each: menu, palette, keys, status bar and exports read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/session/main_view.h"
#include "app/ui/command.h"
#include "app/ui/result_pair.h"
#include "app/ui/ui.h"
#include "app/ui/view_group.h"

namespace headscope::ui {

// Why a view has nothing to show, as a notice says it.
struct ViewObstacle {
  const char *fact, *advice;
};

// How a group is called in the strip.
struct ViewGroupInfo {
  ViewGroup group;
  const char* name;
  const char* help;  // one sentence
};
// One row a group, in the order of the strip.
std::span<const ViewGroupInfo> view_groups();

struct MainViewInfo {
  MainView view = MainView::layer;
  ViewGroup group = ViewGroup::look;
  const char* name = "";   // one or two words: in the strip, the menu View, the palette, its head and the guide
  const char* also = "";   // other words by which the palette finds it
  const char* how = "";    // how to read it: a sentence that goes on after a colon
  const char* guide = "";  // the page of the guide that says more
  // What shows the view, and shows one layer's panels again; that of `layer` leaves every other view.
  CommandId command = CommandId::none;
  const char* shortcut = "";
  const char* help = "";  // one sentence
  // Draws the view under the phrase. Null for `layer`: app/ui/shell.cpp draws its panels, each in a place of its own.
  void (*draw)(Ui& ui, const Rect& area) = nullptr;
  // The control that has the focus when the command has opened the view. Null for `layer`: the focus goes back to where
  // it was before.
  std::string (*focus)(const Ui& ui) = nullptr;
  // Nothing when the view can open, else why it cannot: `layer` is shown then. Null: it can always open.
  std::optional<ViewObstacle> (*obstacle)(const Ui& ui) = nullptr;
  // With an obstacle the command sets the view all the same, which is shown once there is a result. Else a notice says
  // what the obstacle is; its key is the word of the view.
  bool waits = false;
  bool greyed = false;  // the menu greys the command while there is an obstacle
  // What else the command does before it opens or closes the view; may be null.
  void (*before_toggle)(Ui& ui) = nullptr;
  // The two results that the view shows, for exports; null where a view shows one.
  std::optional<ResultPair> (*pair)(Ui& ui) = nullptr;
  // Lets go of what this view alone holds, when another one is shown; null: it is kept for when one comes back.
  void (*let_go)(Ui& ui) = nullptr;
  // The keys in the status bar; none: those of the panel that has the focus.
  std::span<const char* const> keys = {};
};

// One row a view, in the order of the menu, the views of a group beside each other; the first is `layer`.
std::span<const MainViewInfo> main_views();

const MainViewInfo& main_view_info(MainView view);

// The view that a command opens and closes; null for other commands.
const MainViewInfo* main_view_of(CommandId command);

// Nothing when the view can open, else why it cannot.
std::optional<ViewObstacle> obstacle_of(const Ui& ui, const MainViewInfo& info);

// What is drawn in this frame: what the view asks for, or `layer` where that has nothing to show.
MainView shown_main_view(const Ui& ui);

// Shows the view with the focus on its control; `layer`: leaves every other view, and the enlarged inspector. With an
// obstacle: see MainViewInfo::waits.
void show_main_view(Ui& ui, const MainViewInfo& info);

// What the command of a view does: shows it, or one layer's panels when it is what the session's view asks for already.
void toggle_main_view(Ui& ui, const MainViewInfo& info);

// Shows one layer's panels, none of them enlarged; the focus goes back to where it was before the view was opened.
// False when nothing else is shown.
bool leave_main_view(Ui& ui);

// Shows the weights of one layer's head, whose picture has the focus; the layer becomes the request's, as a step of
// undo. head < 0: the one that is selected.
void open_one_layer(Ui& ui, std::int64_t layer, std::int64_t head);

// When another view is shown than in the last frame: takes away the notices of views, and the one that is left lets go.
// Call it once a frame.
void leave_views_behind(Ui& ui);

// Draws the shown view in its place; there is one, other than `layer`.
void draw_main_view(Ui& ui, const Rect& area);

}  // namespace headscope::ui

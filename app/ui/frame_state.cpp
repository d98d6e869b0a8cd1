#include "app/ui/frame_state.h"

#include <algorithm>
#include <utility>

#include "app/session/session.h"
#include "app/ui/font_atlas.h"
#include "app/ui/phrase/phrase_suggestions.h"
#include "app/ui/widgets/text_pieces.h"

namespace headscope::ui {

void begin_frame_state(UiState& s, bool acts) {
  s.hover = s.next_hover;
  s.next_hover = {};
  s.wants_frame = false;
  s.wake_after = -1;
  s.top_layer = !s.open_combo.empty() ? 2 : s.dialog != DialogKind::none ? 1 : 0;
  if (s.dialog != s.dialog_before) {
    if (s.dialog_before == DialogKind::none) s.focus_before_dialog = s.focus;
    if (s.dialog == DialogKind::none) {
      s.focus = s.focus_before_dialog;
      s.wants_frame = true;
    }
    s.dialog_before = s.dialog;
  }
  s.next_tab_order.clear();
  s.next_hovered.clear();
  // A tooltip is for the one who waits: it leaves when one types or clicks, until the mouse goes elsewhere.
  if (acts) s.tooltip_off = s.hovered;
  if (s.hovered != s.tooltip_off) s.tooltip_off.clear();
  s.list_shown = false;
  s.scrolls.clear();
}

void move_focus(Ui& ui) {
  UiState& s = ui.state;
  if (s.top_layer == 2) return;
  ui.layer = s.top_layer;
  int steps = 0;
  while (!suggests(s) && ui.take_key(KeyName::tab)) ++steps;
  while (ui.take_key(KeyName::tab, false, true)) --steps;
  ui.layer = 0;
  const int count = static_cast<int>(s.tab_order.size());
  if (steps == 0 || count == 0) return;
  const auto found = std::find(s.tab_order.begin(), s.tab_order.end(), s.focus);
  int at = found == s.tab_order.end() ? (steps > 0 ? -1 : 0) : static_cast<int>(found - s.tab_order.begin());
  at = ((at + steps) % count + count) % count;
  s.focus = s.tab_order[static_cast<std::size_t>(at)];
  s.focus_by_keyboard = true;
  s.reveal_focus = true;
  s.editing.clear();
  ui.session.end_undo_step();
}

void settle_text(Ui& ui) {
  constexpr double rest = 0.7;
  UiState& s = ui.state;
  std::string now = all_text(ui.session, s);
  if (s.settled_text.empty()) s.settled_text = now;
  if (now != s.latest_text) {
    s.latest_text = std::move(now);
    s.text_changed = s.time;
  }
  if (s.latest_text == s.settled_text || !needs_rebuild(ui.fonts, s.latest_text)) return;
  const double since = s.time - s.text_changed;
  if (since < rest) return ui.wake_in(rest - since);
  s.settled_text = s.latest_text;
  s.wants_frame = true;
}

void end_frame_state(Ui& ui) {
  UiState& s = ui.state;
  s.tab_order = s.next_tab_order;
  if (s.next_hovered != s.hovered) {
    s.hovered = s.next_hovered;
    s.hovered_since = s.time;
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.MouseDown[0]) s.active.clear();
  ui.session.background.maps.end_frame();
  // A list whose control is gone closes; so does one that nobody drew.
  if (!s.open_combo.empty() && !s.list_shown) s.open_combo.clear();
  s.reveal_focus = false;
  // The picture changes with these in the next frame.
  if (s.next_hover != s.hover) s.wants_frame = true;
}

}  // namespace headscope::ui

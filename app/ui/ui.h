// The context of every panel: the state that it edits, the style, the keys of this frame, the probe of tests.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/key_event.h"
#include "app/ui/command.h"
#include "app/ui/dialog_state.h"
#include "app/ui/panel_states.h"
#include "app/ui/theme.h"
#include "app/ui/widgets/text_edit.h"
#include "core/base/image.h"
#include "core/explain/cell_place.h"
#include "core/request/request.h"

namespace headscope {
class Session;       // app/session/session.h
struct Settings;     // app/session/settings.h
class TextureStore;  // core/picture/texture_store.h
}  // namespace headscope

namespace headscope::ui {

struct Rect {
  ImVec2 min{0, 0}, max{0, 0};
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  ImVec2 center() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  bool contains(ImVec2 p) const { return p.x >= min.x && p.x < max.x && p.y >= min.y && p.y < max.y; }
};

// A drawn text, cut to its place; `at`: its upper left corner.
struct DrawnText {
  std::string words;
  ImVec2 at;
};

// Where each named control was drawn in this frame: what tests and the hidden --probe option read. Names are paths:
// "request/num_heads/+", "heads/3", "phrase", "menu/File/Export...", "export/primary".
struct Probe {
  std::map<std::string, Rect> rects;
  std::vector<DrawnText>* texts = nullptr;        // receives every text of the frame; null: not recorded
  std::set<std::string>* untranslated = nullptr;  // receives what the window's language has no words for
};

enum class DialogKind {
  none,
  export_dialog,
  open_file,
  save_session,
  save_script,
  choose_file,
  help,
  guide,
  about,
  palette,
  go_to,
  examples,
  settings,
  worksheet,
  handout
};

struct Notice {
  enum class Kind { info, warn, bad } kind = Kind::info;
  std::string fact;         // 600
  std::string advice;       // what to do
  std::string key;          // notices with the same key replace each other
  std::string button = {};  // pushes `command` and takes the notice away; "": none
  Command command = {};
};

// Linked highlighting: the positions under the mouse in this frame; -1: none. Written while drawing, read by every
// panel in the next frame.
struct Hover {
  std::int64_t query = -1, key = -1, head = -1, feature = -1;
  std::optional<CellPlace> cell;  // the number under the mouse; nullopt: none
  friend bool operator==(const Hover&, const Hover&) = default;
};

class PanelData;      // app/ui/panel_data.h
class Translation;    // app/ui/widgets/translation.h
struct ExplainState;  // app/ui/map/explain_state.h

// Everything of the window that is neither Request nor view: carets, open dialogs, focus.
struct UiState {
  std::string focus = "phrase";           // name of the focused control; "": none
  std::vector<std::string> tab_order;     // of the last frame
  std::map<std::string, TextEdit> edits;  // by control name
  DialogKind dialog = DialogKind::none;
  std::string open_combo;  // name of the combo whose list is open
  std::vector<Notice> notices;
  Hover hover, next_hover;
  PanelStates panels;        // what each panel remembers, a struct each
  double time = 0;           // seconds; the caret blinks by it
  bool wants_frame = false;  // an animation runs: draw again without waiting for an event
  double wake_after = -1;    // seconds until the next change without an event; < 0: never

  // The layer that gets input. Layers: 0 the panels, 1 the open dialog, 2 the open list or menu. Only controls of the
  // top layer hover, click, take keys and join the Tab order; interact() and take_key() enforce it.
  int top_layer = 0;
  std::string active;   // the control on which the held mouse button was pressed; "": none
  std::string hovered;  // for the tooltip: the control under the mouse, and the time since when
  double hovered_since = 0;
  bool focus_by_keyboard = true;            // moved by key: only then controls other than text fields show their ring
  bool reveal_focus = false;                // the focus was just moved by key: its scroll area scrolls to it
  std::vector<std::string> next_tab_order;  // collected during this frame
  std::map<std::string, int> chosen;        // by name of a list: the picked line, until take_chosen() fetches it
  std::string next_hovered, tooltip_off;
  std::string editing;                 // the stepper or number field that is being edited
  double caret_time = 0;               // time of the last move of a caret, which blinks from then on
  bool list_shown = false;             // a control drew the open list in this frame
  std::vector<Rect> covered;           // parts of the panels below something that is drawn later: they get no mouse
                                       // events
  std::vector<std::string> dismissed;  // notices that the user dismissed while their cause still exists
  struct ScrollFrame {
    std::string name;
    Rect rect;
    float content_height = 0;
  };
  std::vector<ScrollFrame> scrolls;  // the scroll areas that are open while drawing, innermost last
  std::string focus_before_dialog;
  std::shared_ptr<PanelData> panel_data;    // of the shown trace
  std::shared_ptr<PanelData> pinned_data;   // of the pinned result
  std::optional<Request> edited_after_pin;  // the next draft, once A is computed and pinned; nullopt: none
  std::shared_ptr<ExplainState> explain;    // jumps of the explanation, linked cells
  DialogKind dialog_before = DialogKind::none;
  DialogState dialogs;
  // Pictures of characters that the atlas cannot hold, by code point and type; the picture is empty when no font has
  // the character. Forgotten when they hold too much.
  struct GlyphPicture {
    Image white;          // alpha is the coverage
    float em_pixels = 0;  // the size it was drawn for
    float advance = 0;
  };
  std::map<std::pair<std::uint32_t, int>, GlyphPicture> glyphs;
  std::size_t glyph_bytes = 0;  // of all pictures
  // The atlas gets new characters only when typing pauses; until then they are drawn as pictures.
  std::string settled_text, latest_text;
  double text_changed = 0;
};

// Shows a notice; it replaces the one with the same key. A notice without a key replaces none.
void put_notice(UiState& state, Notice notice);

// Passed to every panel in every frame.
struct Ui {
  Session& session;
  Settings& settings;
  TextureStore& textures;
  UiState& state;
  const Fonts& fonts;
  const Palette& colors;
  float scale = 1;                     // content scale x ui_scale
  InputEvents input = {};              // keys that no control has taken yet; a control that uses one removes it
  bool shift_held = false;             // shift was held at the last mouse event
  std::vector<Command> commands = {};  // pushed by panels
  Probe* probe = nullptr;
  Translation* translation = nullptr;  // into the window's language; null: English
  int layer = 0;                       // the layer that is being drawn; see UiState::top_layer
  // Drawn after everything else, at layer 2: lists, menus, tooltips.
  std::vector<std::function<void(Ui&)>> overlays = {};
  std::function<std::string()> get_clipboard = {};
  std::function<void(const std::string&)> set_clipboard = {};
  std::function<void(const std::string&)> say = {};   // speaks a text; empty: nothing speaks here
  std::function<void(const std::string&)> play = {};  // plays the bytes of a WAV file; empty: nothing plays here

  float px(float at_1x) const;  // scaled, rounded to whole device pixels
  void push(CommandId id, std::string argument = "") { commands.push_back({id, std::move(argument)}); }
  void mark(const std::string& name, const Rect& rect) {
    if (probe != nullptr) probe->rects[name] = rect;
  }
  bool on_top() const { return layer >= state.top_layer; }
  // Asks for another frame in `seconds` at the latest.
  void wake_in(double seconds) {
    if (state.wake_after < 0 || seconds < state.wake_after) state.wake_after = seconds;
  }
  // True when this key with exactly these modifiers is in `input`; removes it. Always false below the top layer.
  bool take_key(KeyName key, bool ctrl = false, bool shift = false, bool alt = false);
};

// All text for which the atlas must have glyphs: phrases, tokens, names of files. For build_fonts and needs_rebuild.
std::string text_on_screen(const Session& session, const UiState& state);

// Draws the whole window: menu, phrase, pipeline, request, heads, concat, inspector, status, dialogs. Called once a
// frame between ImGui::NewFrame and ImGui::Render. In app/ui/shell.cpp. Executes every command but those that need the
// window itself (quit, show_window_picture, report_problem): these stay in ui.commands for the caller. The caller must
// have cleared the target with colors.panel: filling it again would be slow with software drivers.
void draw_shell(Ui& ui);

}  // namespace headscope::ui

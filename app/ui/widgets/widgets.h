// The controls of the visual system, with their states: rest, hover, focus, problem, disabled. Every control takes a
// name (its path in the probe and its place in the Tab order) and one sentence for its tooltip.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/ui.h"
#include "app/ui/widgets/words.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap.h"

namespace headscope {
struct Problem;  // core/request/problem.h
}  // namespace headscope

namespace headscope::ui {

struct ControlState {
  bool enabled = true;
  bool problem = false;           // 2 px edge in `bad`
  const char* tooltip = nullptr;  // shown after 0.4 s; for a disabled control it says what is needed; null: none
};

// ---- shapes. Edges lie on whole device pixels; thickness is given at 1x.
ImDrawList& canvas();                                       // of the window; clipped by begin_scroll
void fill(const Rect& rect, Rgba color, float radius = 0);  // radius in device pixels
void outline(Ui& ui, const Rect& rect, Rgba color, float thickness = 1, float radius = 0);  // inside rect
void horizontal_line(Ui& ui, float x0, float x1, float y, Rgba color);                      // 1 px at 1x, [y, y + 1 px)
void vertical_line(Ui& ui, float x, float y0, float y1, Rgba color);
void dotted_line(Ui& ui, float x0, float x1, float y, Rgba color);  // below words that can be clicked: 2 px on, 1 off
Rect inset(const Rect& rect, float by);                             // negative: grown
Rgba mix(Rgba a, Rgba b, float share_of_b);

// ---- placing: the caller passes the rectangle of every control.
Rect row(const Rect& area, float& y, float height);   // the next full-width row at y; moves y down
Rect take_right(Rect& area, float width, float gap);  // cuts a piece off the right side
Rect take_left(Rect& area, float width, float gap);

// ---- text, in the language of the window but for what is given()
void text(Ui& ui, ImVec2 at, Type type, Rgba color, const Words& s);  // at: top left
// Vertically centred in rect; align 0 left, 0.5 centre, 1 right. Where it is too wide, a shorter way to say it, else
// cut with an ellipsis.
void text_in(Ui& ui, const Rect& rect, Type type, Rgba color, const Words& s, float align = 0);
float text_width(Ui& ui, Type type, const Words& s);  // of the fullest way to say it
// The words in the language of the window: the fullest way to say them that is at most `width` wide, else the shortest.
std::string_view said(Ui& ui, Type type, const Words& s, float width);
std::string_view said(Ui& ui, Type type, const Words& s);  // the fullest way
std::string_view said(Ui& ui, const Words& s);             // of a sentence
// The y for text() that centres a line on `center`, its baseline on a whole pixel.
float text_top(Ui& ui, Type type, float center);
void text_up(Ui& ui, ImVec2 lower_left, Type type, Rgba color, const Words& s);    // turned 90 degrees
float paragraph(Ui& ui, const Rect& rect, Type type, Rgba color, const Words& s);  // wrapped; returns height
float paragraph_height(Ui& ui, Type type, const Words& s, float width);            // the height of the same text,
                                                                                   // without drawing

// ---- lists over everything: combos, menus, context menus
struct MenuLine {
  std::string label;
  std::string right;  // shortcut, or a fact
  bool enabled = true, checked = false;
  bool divider_above = false;
  bool is_given = false;  // the label is the user's, or a file's
  Words words() const { return is_given ? given(label) : Words(label); }
  // Lines of a second list, which opens beside this line instead of picking it; a pick in it goes to
  // state.chosen[NAME + "/" + label].
  std::vector<std::string> inner = {};
};
// Shows the list named `name` below (or above) `anchor` in this frame; call it while state.open_combo is that name. A
// pick puts the line's index into state.chosen[name] and closes the list; Esc and a click elsewhere only close it.
// It is as wide as needed, at least as the anchor.
void show_list(Ui& ui, const std::string& name, const Rect& anchor, std::vector<MenuLine> lines, int selected,
               Type type = Type::words12);
// The same of a menu: no line is selected, and it is `width` pixels wide.
void show_menu(Ui& ui, const std::string& name, const Rect& anchor, std::vector<MenuLine> lines, float width);
// Whether the open list uses the keys Right (to open a second list beside a line) and Left (to close it).
struct ListAside {
  bool right = false, left = false;
};
ListAside list_aside(const Ui& ui, const std::string& name);
// The line picked in the list since the last call; -1: none.
int take_chosen(Ui& ui, const std::string& name);

// ---- focus and hover. A control calls this once a frame; it joins the Tab order, draws nothing.
struct Interaction {
  bool hovered = false, focused = false, held = false;
  bool clicked = false;  // mouse released inside, or Enter / Space while focused
  bool double_clicked = false, right_clicked = false;
};
// Whether the mouse is over the visible part of rect and nothing is drawn above it. For areas that are no controls.
bool mouse_over(const Ui& ui, const Rect& rect);
// The same without keys: text fields and grids read Enter and Space themselves.
Interaction interact_mouse(Ui& ui, const std::string& name, const Rect& rect, const ControlState& state = {},
                           bool takes_focus = true);
Interaction interact(Ui& ui, const std::string& name, const Rect& rect, const ControlState& state = {},
                     bool takes_focus = true);
void focus_ring(Ui& ui, const Rect& rect, float radius);
void tooltip(Ui& ui, const Rect& rect, const char* sentence);

// ---- controls; true when the value changed (or the button was pressed) in this frame
bool button(Ui& ui, const std::string& name, const Rect& rect, const Words& label, const ControlState& state = {},
            bool primary = false);
enum class Icon {
  undo,
  redo,
  close,
  plus,
  minus,
  lock,
  copy,
  warning,
  chevron_left,
  chevron_right,
  chevron_down,
  expand,
  menu_dots,
  sidebar,
  search,
  folder,
  file,
  check,
  reset
};
void draw_icon(Ui& ui, Icon icon, ImVec2 center, float size, Rgba color);
bool icon_button(Ui& ui, const std::string& name, const Rect& rect, Icon icon, const ControlState& state = {});
// How a combo is drawn: whether it can be used, and the type of its items.
struct ComboLook {
  ControlState state;
  Type type = Type::mono12;
  bool are_given = false;  // the items are the user's, or a file's
};
// The list opens below (or above when there is no room) and can be used with Enter and arrows.
bool combo(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
           const ComboLook& look = {});
bool segments(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
              const ControlState& state = {});
bool chip(Ui& ui, const std::string& name, const Rect& rect, const Words& label, bool& on,
          const ControlState& state = {});
bool checkbox(Ui& ui, const std::string& name, const Rect& rect, const Words& label, bool& on,
              const ControlState& state = {});
// A line of a list of which one is on; `fact` stands dim at its right. True when it was off and is picked.
struct RadioLine {
  Words label, fact;
  bool on = false;
};
bool radio(Ui& ui, const std::string& name, const Rect& rect, const RadioLine& line, const ControlState& state = {});
// What the buttons of a stepper lead to: the next of `choices`, or by 1 within [low, high] when `choices` is empty.
struct StepRange {
  std::vector<std::int64_t> choices = {};
  std::int64_t low = 0, high = 0;
};
// [-] number [+]. Any text can be typed: when it is a whole number, `value` is set to it, else `value` is unchanged. Up
// and Down step too.
bool stepper(Ui& ui, const std::string& name, const Rect& rect, std::int64_t& value, const StepRange& range,
             const ControlState& state = {});
// The same for one of `count` things that are there, counted from 0: another number that is typed becomes the nearest.
bool index_stepper(Ui& ui, const std::string& name, const Rect& rect, std::int64_t& value, std::int64_t count,
                   const ControlState& state = {});
// The same for a seed: any unsigned 64-bit integer.
bool seed_stepper(Ui& ui, const std::string& name, const Rect& rect, std::uint64_t& value,
                  const ControlState& state = {});
// A number typed as text: finite decimals, "-inf" and "inf" when `allow_infinite`.
bool number_field(Ui& ui, const std::string& name, const Rect& rect, double& value, bool allow_infinite,
                  const ControlState& state = {});
// Moves in hundredths of the range.
struct SliderRange {
  double low = 0, high = 1;
  const char* format = "{:.2f}";  // fmt's, of the value
};
bool slider(Ui& ui, const std::string& name, const Rect& rect, double& value, const SliderRange& range,
            const ControlState& state = {});
// One line of UTF-8, changed only by typing; `hint` is shown in text3 while it is empty. True on every change.
bool text_field(Ui& ui, const std::string& name, const Rect& rect, std::string& value, std::string_view hint,
                const ControlState& state = {});
// Read-only value with a lock at the right.
void locked_value(Ui& ui, const Rect& rect, const Words& value, const char* tooltip);

// ---- pieces of panels
// Header of 40: optional head square, title, one dim fact. Returns the rectangle that is left at the right for
// controls.
Rect panel_header(Ui& ui, const Rect& area, const Words& title, const Words& fact, int head = -1,
                  bool mono_title = false);
void divider(Ui& ui, ImVec2 a, ImVec2 b);
// The sentence with a problem's suggestions as buttons; returns its height. Pressing one edits the draft.
float problem_box(Ui& ui, const std::string& name, const Rect& top_left_and_width, const Problem& problem);
// 34 high with a 3 px stripe, a button where its label is not empty, and an x where the notice can be put away.
struct NoticeBar {
  std::string_view button;
  bool closes = false;
};
enum class NoticePress { none, button, close };
NoticePress notice_bar(Ui& ui, const std::string& name, const Rect& rect, const Notice& notice, const NoticeBar& bar);
// 10 px wide bar (or 10 high when `horizontal`) with ticks at the ends and quarters, numbers in mono 11.
void color_bar(Ui& ui, const Rect& rect, ColorMap map, const ValueRange& range, bool horizontal);
// The width of an upright one with its numbers.
float color_bar_width(Ui& ui, const ValueRange& range);
void progress_bar(Ui& ui, const Rect& rect, double share);
// A clipped, scrolling area: begin returns the y offset to subtract; content_height from the last frame.
struct ScrollArea {
  float offset = 0;
};
ScrollArea begin_scroll(Ui& ui, const std::string& name, const Rect& rect, float content_height);
void end_scroll(Ui& ui);
// Horizontal scrolling of content wider than its place, by a bar 10 high, by the wheel with Shift and by a sideways
// wheel. Returns the offset to subtract from x (ScrollOffsets::across).
struct AcrossScroll {
  Rect bar, over;                      // where the bar lies, and where the wheel scrolls
  float width = 0, content_width = 0;  // pixels: of the place, of what is in it
  float step = 0;                      // pixels a notch of the wheel
};
float scroll_across(Ui& ui, const std::string& name, const AcrossScroll& scroll);

// ".25", "1", "−1.9", ".0039", "3.7e−05": a short number beside a bar whose values cover `span`; never "0" for a value
// that is not 0.
std::string tick_label(double value, double span);
// "−0.5210": fixed decimals with U+2212, "nan", "inf"; below 1e-3 in size and not zero: scientific when `small_exact`.
std::string number_label(double value, int decimals, bool small_exact = false);
// A weight beside or in a cell: ".90", "1", "" below .005.
std::string cell_label(double weight);

}  // namespace headscope::ui

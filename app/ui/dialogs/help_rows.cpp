#include "app/ui/dialogs/help_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/ui/command_list.h"
#include "app/ui/dialogs/palette_match.h"
#include "app/ui/main_view.h"

namespace headscope::ui {
namespace {

// Keys that belong to a place rather than to a command.
struct PlaceKey {
  const char *topic, *title, *keys, *help;
};
constexpr PlaceKey kPlaceKeys[] = {
    {"Everywhere", "Next, previous control", "Tab, Shift+Tab", "Walks through the controls, left to right by panel."},
    {"Everywhere", "Press", "Enter or Space", "Presses the focused control."},
    {"Everywhere", "Move inside", "Arrows", "Inside segments, lists, the pipeline, the grid of heads, a heatmap."},
    {"Everywhere", "Leave", "Esc", "Closes a list or a dialog, leaves a field, dismisses a notice."},
    {"Everywhere", "Menus", "F10, Alt+letter", "Opens a menu; Left and Right go to the next."},
    {"Panels", "Move a border", "Drag, arrows", "Between panels; with the focus on it arrows move it, with Shift far."},
    {"Panels", "Usual border", "Double click, Del", "The border goes back to its usual place."},
    {"Phrase", "By words", "Ctrl+Left, Ctrl+Right", "The caret moves by words; with Shift they are selected."},
    {"Phrase", "Clipboard", "Ctrl+A, C, X, V", "Select all, copy, cut, paste."},
    {"Heatmap", "Zoom", "Wheel", "At the cursor."},
    {"Heatmap", "Pan", "Drag", "Moves the picture when it is zoomed."},
    {"Heatmap", "Whole picture", "Home", "Shows the whole of it again."},
    {"Heatmap", "Next match", "Enter, Shift+Enter", "After Ctrl+F: the next number that fits, the one before."},
    {"Heatmap", "Edit the number", "Double click", "Types another number in place of the cell's."},
    {"Heatmap", "Pick a cell", "Click, arrows", "Picks a cell and moves it."},
    {"Heads", "Off and on", "X", "Switches the selected head off and on."},
    {"Heads", "Its menu", "Right click, Ctrl+H", "Switch it off, hold its weights, multiply its query or key."},
    {"Lesson", "Stop beside", "Left, Right", "On the number of a stop; while it plays, the stop before and the next."},
    {"Lesson", "Move the stop", "Alt+Left, Alt+Right", "On its number."},
    {"Lesson", "Remove the stop", "Del", "On its number; undo brings it back."},
    {"Lens", "Pick a cell", "Click, arrows", "A layer and a token; Enter goes to that layer."},
    {"Lens", "Take a logit apart", "Click, Shift+click", "Of a likely token; with Shift less that of another."},
    {"Sweep", "Pick a cell", "Click, arrows", "A part that is patched; Enter goes to its head."},
    {"Gradients", "Pick a head", "Click, arrows", "Its map stands beside the others; Enter goes to it."},
    {"Score", "Pick a pair", "Click, arrows", "Two writers; Enter opens the one at the key."},
    {"Circuits", "Pick a pair", "Click, arrows", "A head that reads and one that writes; Enter opens the reader."},
    {"Points", "Pick a point", "Click, arrows", "A query or a key: its row or column of the map."},
    {"Corpus", "Pick a head", "Click, arrows", "In the plane or in the grid; Enter opens its example."},
    {"Corpus", "Choose heads", "Drag, Space",
     "A line around points; with Shift it adds. Space: the picked head. Esc forgets them."},
    {"Corpus", "Move the cut", "Drag, Left, Right",
     "In the tree of clusters; Enter chooses the picked head's cluster."},
    {"Corpus", "Pick an example", "Click, arrows", "Enter or a double click opens it in the microscope."},
    {"Lines and neurons", "Choose a token", "Click, arrows", "Chooses a token, moves the choice."},
    {"Lines and neurons", "Lines of a head", "0 to 9", "On and off."},
    {"Lines and neurons", "Save the drawing", "S", "As SVG."},
};

// The topics of commands, in their order: those of the menus, without the views, which have one of their own.
constexpr std::array<const char*, 8> kTopics = {"File", "Edit", "Model", "View", "Views", "Go", "Export", "Help"};

std::string topic_of(const CommandInfo& info) {
  if (main_view_of(info.id) != nullptr) return "Views";
  return info.menu[0] == '\0' ? "Go" : info.menu;
}

std::vector<HelpRow> all_rows() {
  std::vector<HelpRow> rows;
  for (const char* topic : kTopics) {
    for (const CommandInfo& info : command_list()) {
      if (topic_of(info) != topic) continue;
      // Its argument comes with its key.
      const bool runs = info.id != CommandId::select_head;
      rows.push_back({topic, info.title, info.shortcut, info.help, runs ? info.id : CommandId::none});
    }
  }
  for (const PlaceKey& key : kPlaceKeys) rows.push_back({key.topic, key.title, key.keys, key.help, CommandId::none});
  return rows;
}

}  // namespace

std::vector<HelpRow> help_rows(std::string_view typed) {
  std::vector<HelpRow> rows = all_rows();
  const SearchQuery query = search_query(typed);
  if (query.words.empty()) return rows;
  const auto fitting = [&](bool forgiving, int most) {
    std::vector<HelpRow> found;
    for (const HelpRow& row : rows) {
      const std::string text = searchable(fmt::format("{} {} {} {}", row.title, row.keys, row.topic, row.help));
      if (match_rank(query, text, forgiving) < most) found.push_back(row);
    }
    return found;
  };
  std::vector<HelpRow> found = fitting(false, kMatchScattered);
  return found.empty() ? fitting(true, kNoMatch) : found;
}

}  // namespace headscope::ui

// F1: every key, from the one list of commands; and what the program is.
#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/command.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/widgets.h"
#include "core/version.h"

namespace headscope::ui {
namespace {

struct KeyLine {
  std::string keys, meaning;
  bool heading = false;
};

// Keys that belong to a place rather than to a command.
const std::vector<KeyLine>& keys_by_place() {
  static const std::vector<KeyLine> lines = {
      {"", "Everywhere", true},
      {"Tab, Shift+Tab", "next, previous control"},
      {"Enter or Space", "press the focused control"},
      {"Arrows", "inside segments, lists, the pipeline, the grid of heads, a heatmap"},
      {"Esc", "close a list or a dialog, leave a field"},
      {"", "Phrase", true},
      {"Ctrl+Left, Ctrl+Right", "by words; with Shift they select"},
      {"Ctrl+A, C, X, V", "select all, copy, cut, paste"},
      {"", "Heatmap", true},
      {"Wheel", "zoom at the cursor"},
      {"Drag", "pan"},
      {"Double click", "edit the number"},
      {"Click, arrows", "pick a cell, move it"},
      {"Ctrl+C", "copy the picked number"},
      {"", "Heads", true},
      {"X", "switch the selected head off and on"},
      {"Right click, Ctrl+H", "its menu: switch it off, hold its weights, multiply its query or key"},
      {"", "Lines and neurons", true},
      {"Click, arrows", "choose a token, move the choice"},
      {"1 to 9", "lines of a head on and off"},
      {"S", "save as SVG"},
  };
  return lines;
}

std::vector<KeyLine> all_keys() {
  std::vector<KeyLine> lines;
  std::string menu;
  for (const CommandInfo& info : command_list()) {
    if (info.shortcut[0] == '\0') continue;
    if (menu != info.menu) {
      menu = info.menu;
      lines.push_back({"", menu.empty() ? "Go" : menu, true});
    }
    lines.push_back({info.shortcut, info.help});
  }
  lines.insert(lines.end(), keys_by_place().begin(), keys_by_place().end());
  return lines;
}

}  // namespace

void draw_help_dialog(Ui& ui, const Rect& window) {
  const DialogFrame dialog = draw_dialog_frame(ui, window, "help", "Keys", 640, 640, false);
  if (ui.state.dialog == DialogKind::none) return;
  const std::vector<KeyLine> lines = all_keys();
  const float line_height = ui.px(24);
  const Rect area{{dialog.body.min.x + ui.px(20), dialog.body.min.y + ui.px(4)},
                  {dialog.body.max.x - ui.px(6), dialog.body.max.y - ui.px(10)}};
  float content = ui.px(10);
  for (const KeyLine& line : lines) content += line.heading ? line_height + ui.px(10) : line_height;
  const ScrollArea scroll = begin_scroll(ui, "help/list", area, content);
  float y = area.min.y - scroll.offset;
  for (const KeyLine& line : lines) {
    if (line.heading) {
      y += ui.px(10);
      text_in(ui, {{area.min.x, y}, {area.max.x, y + line_height}}, Type::title12, ui.colors.text2, line.meaning);
    } else {
      text_in(ui, {{area.min.x, y}, {area.min.x + ui.px(170), y + line_height}}, Type::mono12, ui.colors.text,
              line.keys);
      text_in(ui, {{area.min.x + ui.px(180), y}, {area.max.x - ui.px(20), y + line_height}}, Type::words12,
              ui.colors.text, line.meaning);
    }
    y += line_height;
  }
  end_scroll(ui);
}

void draw_about_dialog(Ui& ui, const Rect& window) {
  const DialogFrame dialog = draw_dialog_frame(ui, window, "about", "About Headscope", 480, 260, false);
  if (ui.state.dialog == DialogKind::none) return;
  const Rect area = inset(dialog.body, ui.px(20));
  float y = area.min.y;
  const auto line = [&](Type type, Rgba color, const std::string& words) {
    y += paragraph(ui, {{area.min.x, y}, area.max}, type, color, words) + ui.px(10);
  };
  line(Type::title13, ui.colors.text, std::string("Headscope ") + kVersion);
  line(Type::words13, ui.colors.text2,
       "A desktop microscope for multi-head attention. Every number on screen was computed by the engine from the "
       "inputs shown.");
  line(Type::words12, ui.colors.text2,
       "MIT licence. Built with Dear ImGui, GLFW, libepoxy, Eigen, libpng, "
       "FreeType, fontconfig, utf8proc, OpenSSL, fmt, nlohmann-json and CLI11.");
}

}  // namespace headscope::ui

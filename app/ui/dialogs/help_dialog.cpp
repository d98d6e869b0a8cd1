// F1: the tour and every key, from the one list of commands; and what the program is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/command_list.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/guide/tour.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/version.h"

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

constexpr float kTourLine = 44, kKeys = 180, kKeyLine = 24;

void draw_tour_line(Ui& ui, const Rect& area) {
  fill(area, ui.colors.well, ui.px(size::radius_field));
  Rect line{{area.min.x + ui.px(14), area.min.y}, {area.max.x - ui.px(10), area.max.y}};
  const std::string words = tour_offer_button(ui);
  const float wide = std::ceil(text_width(ui, Type::words12, words)) + ui.px(28);
  Rect press = take_right(line, wide, ui.px(12));
  press = {{press.min.x, press.center().y - ui.px(14)}, {press.max.x, press.center().y + ui.px(14)}};
  if (button(ui, "help/tour", press, words, {true, false, "Also later: Help, Tour."})) {
    close_dialog(ui);
    ui.push(CommandId::tour);
  }
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::title12, "Tour")) + 1, ui.px(10)), Type::title12,
          ui.colors.text, "Tour");
  text_in(ui, line, Type::words12, ui.colors.text2,
          fmt::format("{} steps through the pipeline, on your own phrase.", tour_stops().size()));
}

}  // namespace

void draw_help_dialog(Ui& ui, const Rect& window) {
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "help", .title = "Help", .width = 860, .height = 720});
  if (ui.state.dialog == DialogKind::none) return;
  Rect body{{dialog.body.min.x + ui.px(20), dialog.body.min.y + ui.px(10)},
            {dialog.body.max.x - ui.px(6), dialog.body.max.y - ui.px(10)}};
  draw_tour_line(ui, {body.min, {dialog.body.max.x - ui.px(20), body.min.y + ui.px(kTourLine)}});
  body.min.y += ui.px(kTourLine + 8);
  if (ui.state.dialog == DialogKind::none) return;
  const std::vector<KeyLine> lines = all_keys();
  const float left = body.min.x + ui.px(kKeys), width = body.max.x - ui.px(20) - left;
  const auto height_of = [&](const KeyLine& line) {
    if (line.heading) return ui.px(kKeyLine + 10);
    return std::max(ui.px(kKeyLine), paragraph_height(ui, Type::words12, line.meaning, width) + ui.px(6));
  };
  float content = ui.px(10);
  for (const KeyLine& line : lines) content += height_of(line);
  const ScrollArea scroll = begin_scroll(ui, "help/list", body, content);
  float y = body.min.y - scroll.offset;
  for (const KeyLine& line : lines) {
    const float height = height_of(line);
    if (line.heading) {
      text_in(ui, {{body.min.x, y + ui.px(10)}, {body.max.x, y + height}}, Type::title12, ui.colors.text2,
              line.meaning);
    } else {
      text_in(ui, {{body.min.x, y}, {left, y + ui.px(kKeyLine)}}, Type::mono12, ui.colors.text, line.keys);
      paragraph(ui, {{left, y + ui.px(3)}, {left + width, y + height}}, Type::words12, ui.colors.text, line.meaning);
    }
    y += height;
  }
  end_scroll(ui);
}

void draw_about_dialog(Ui& ui, const Rect& window) {
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "about", .title = "About Headscope", .width = 480, .height = 260});
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
       "MIT licence. Built with Dear ImGui, GLFW, libepoxy, Highway, Eigen, libpng, FreeType, HarfBuzz, FriBidi, "
       "fontconfig, utf8proc, PCRE2, OpenSSL, fmt, nlohmann-json and CLI11.");
}

}  // namespace headscope::ui

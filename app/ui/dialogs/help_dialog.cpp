// F1: the tour, and every command and key by topic; and what the program is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/command_state.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/help_rows.h"
#include "app/ui/guide/tour.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/version.h"

namespace headscope::ui {
namespace {

constexpr float kTourLine = 44, kTitle = 214, kKeys = 170, kKeyLine = 24, kHeading = 34;

struct HelpState {
  std::string query;
};

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

// Where the three columns of a row begin, and where the last one ends.
struct Columns {
  float title = 0, keys = 0, help = 0, right = 0;
};

float height_of_help(Ui& ui, const HelpRow& row, const Columns& columns) {
  const float lines = paragraph_height(ui, Type::words12, row.help, columns.right - columns.help);
  return std::max(ui.px(kKeyLine), lines + ui.px(6));
}

// Name, key and what it does. A row of a command runs it; true when it was pressed.
bool draw_row(Ui& ui, const HelpRow& row, const Rect& line, const Columns& columns) {
  bool pressed = false;
  const bool runs = row.command != CommandId::none && command_refusal(ui, row.command).empty();
  if (row.command != CommandId::none) {
    const ControlState state{runs, false, runs ? "Press it to do it." : nullptr};
    const Interaction it = interact(ui, "help/" + row.title, line, state, false);
    if (it.hovered) fill(line, ui.colors.hover, ui.px(size::radius_control));
    pressed = it.clicked;
  }
  const float first = line.min.y + ui.px(kKeyLine);
  text_in(ui, {{columns.title, line.min.y}, {columns.keys - ui.px(10), first}}, Type::words12, ui.colors.text,
          row.title);
  text_in(ui, {{columns.keys, line.min.y}, {columns.help - ui.px(10), first}}, Type::mono12, ui.colors.text2, row.keys);
  paragraph(ui, {{columns.help, line.min.y + ui.px(3)}, {columns.right, line.max.y}}, Type::words12, ui.colors.text2,
            row.help);
  return pressed;
}

// The rows that fit what is typed, each topic below its name; the command that was pressed, else none.
CommandId draw_rows(Ui& ui, const Rect& body, const std::string& query) {
  const std::vector<HelpRow> rows = help_rows(query);
  const Columns columns{body.min.x, body.min.x + ui.px(kTitle), body.min.x + ui.px(kTitle + kKeys),
                        body.max.x - ui.px(20)};
  if (rows.empty()) {
    text_in(ui, {body.min, {body.max.x, body.min.y + ui.px(kHeading)}}, Type::words12, ui.colors.text3,
            "No command and no key has that in its name.");
  }
  float content = ui.px(10);
  const std::string* topic = nullptr;
  for (const HelpRow& row : rows) {
    if (topic == nullptr || *topic != row.topic) content += ui.px(kHeading);
    topic = &row.topic;
    content += height_of_help(ui, row, columns);
  }
  const ScrollArea scroll = begin_scroll(ui, "help/list", body, content);
  float y = body.min.y - scroll.offset;
  CommandId pressed = CommandId::none;
  topic = nullptr;
  for (const HelpRow& row : rows) {
    if (topic == nullptr || *topic != row.topic) {
      text_in(ui, {{body.min.x, y + ui.px(10)}, {body.max.x, y + ui.px(kHeading)}}, Type::title12, ui.colors.text,
              row.topic);
      y += ui.px(kHeading);
    }
    topic = &row.topic;
    const float height = height_of_help(ui, row, columns);
    const Rect line{{body.min.x - ui.px(6), y}, {columns.right, y + height}};
    if (line.max.y > body.min.y && line.min.y < body.max.y && draw_row(ui, row, line, columns)) pressed = row.command;
    y += height;
  }
  end_scroll(ui);
  return pressed;
}

}  // namespace

void draw_help_dialog(Ui& ui, const Rect& window) {
  HelpState& state = ui.state.panels.get<HelpState>();
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::help)) {
    state = HelpState();
    ui.state.edits.erase("help/query");
    ui.state.focus = "help/query";
    ui.state.panels.get<ScrollOffsets>().down["help/list"] = 0;
  }
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "help", .title = "Help and keys", .width = 900, .height = 720});
  if (ui.take_key(KeyName::f1)) close_dialog(ui);
  if (ui.state.dialog == DialogKind::none) return;
  Rect body{{dialog.body.min.x + ui.px(20), dialog.body.min.y + ui.px(10)},
            {dialog.body.max.x - ui.px(6), dialog.body.max.y - ui.px(10)}};
  const float right = dialog.body.max.x - ui.px(20);
  draw_tour_line(ui, {body.min, {right, body.min.y + ui.px(kTourLine)}});
  body.min.y += ui.px(kTourLine + 10);
  if (ui.state.dialog == DialogKind::none) return;
  if (text_field(ui, "help/query", {body.min, {right, body.min.y + ui.px(30)}}, state.query,
                 "part of a command's name, a key, or what it is about",
                 {true, false, "Shows the commands and keys that have this in their name."})) {
    ui.state.panels.get<ScrollOffsets>().down["help/list"] = 0;
  }
  body.min.y += ui.px(36);
  const CommandId pressed = draw_rows(ui, body, state.query);
  if (pressed == CommandId::none) return;
  close_dialog_for_choice(ui);
  ui.push(pressed);
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
       "MIT licence. Built with Dear ImGui, GLFW, libepoxy, Highway, Eigen, libpng, libjpeg, FreeType, HarfBuzz, "
       "FriBidi, "
       "fontconfig, utf8proc, PCRE2, OpenSSL, fmt, nlohmann-json and CLI11.");
}

}  // namespace headscope::ui

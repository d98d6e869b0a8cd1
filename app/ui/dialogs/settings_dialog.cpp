// What the program remembers of one's taste: language, theme, file dialogs. Everything acts at once.
#include <cmath>
#include <iterator>

#include "app/session/native_dialog.h"
#include "app/session/settings.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/guide/languages.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 40, kLabel = 128;
constexpr double kSizes[] = {0.9, 1, 1.15, 1.3, 1.5, 2};

// The one that is set; -1 where the keys or the palette set another.
int size_index(double size) {
  for (int k = 0; k < static_cast<int>(std::size(kSizes)); ++k) {
    if (std::abs(kSizes[k] - size) < 0.005) return k;
  }
  return -1;
}

// Whether a row of weights is played when it is picked.
void choose_row_sound(Ui& ui, const Rect& place) {
  int sound = ui.settings.row_sound ? 1 : 0;
  if (segments(ui, "settings/row_sound", place, {"silent", "played when picked"}, sound,
               {ui.play != nullptr, false,
                ui.play ? "A note a key, from low to high, as loud as its weight is large."
                        : "Needs pw-play, paplay or aplay; none is installed."})) {
    ui.settings.row_sound = sound == 1;
  }
}

}  // namespace

void draw_settings_dialog(Ui& ui, const Rect& window) {
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::settings)) {
    ui.state.focus = "settings/language";
    ui.state.focus_by_keyboard = true;
  }
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "settings", .title = "Settings", .width = 460, .height = 50 + 6 * kRow + 40 + 36});
  if (ui.state.dialog == DialogKind::none) return;
  const Rect area = inset(dialog.body, ui.px(20));
  float y = area.min.y;
  const auto control = [&](const char* label) {
    const Rect line = row(area, y, ui.px(kRow));
    const Rect place{{line.min.x + ui.px(kLabel), line.min.y}, {line.max.x, line.min.y + ui.px(26)}};
    text_in(ui, {line.min, {place.min.x, place.max.y}}, Type::words12, ui.colors.text2, label);
    return place;
  };

  language_combo(ui, "settings/language", control("language"), language_for("en", ""));
  text_in(ui, row(area, y, ui.px(36) - ui.px(14)), Type::words12, ui.colors.text3,
          "Names of stages, options and files stay as they are.");
  y += ui.px(14);

  int theme = static_cast<int>(ui.settings.theme);
  if (segments(ui, "settings/theme", control("theme"), {"dark", "light", "contrast"}, theme,
               {true, false,
                "Colours of the window (Ctrl+T: dark or light). Contrast is white on black, for weak eyes and bright "
                "rooms."})) {
    ui.settings.theme = static_cast<Theme>(theme);
  }

  int size = size_index(ui.settings.ui_scale);
  if (segments(ui, "settings/size", control("size"), {"90 %", "100 %", "115 %", "130 %", "150 %", "200 %"}, size,
               {true, false, "Of text and of all around it (Ctrl+Plus, Ctrl+Minus, Ctrl+0)."})) {
    ui.settings.ui_scale = kSizes[size];
  }

  int contrast = ui.settings.auto_contrast ? 1 : 0;
  if (segments(
          ui, "settings/contrast", control("colour range"), {"as chosen", "fitted where needed"}, contrast,
          {true, false,
           "Whether a new picture's colours are fitted to 98 in 100 cells by themselves where 99 of 100 would look "
           "alike."})) {
    ui.settings.auto_contrast = contrast == 1;
  }

  choose_row_sound(ui, control("rows"));

  const bool has_native = !native_dialog_program().empty();
  int own = ui.settings.native_dialogs == "never" ? 1 : 0;
  if (segments(ui, "settings/dialogs", control("files are opened"), {"also by the desktop", "here only"}, own,
               {has_native, false,
                has_native ? "Whether the dialog that opens files offers the desktop's own one."
                           : "Needs zenity or kdialog; neither is installed."})) {
    ui.settings.native_dialogs = own == 1 ? "never" : "auto";
  }
}

}  // namespace headscope::ui

#include "app/ui/dialogs/dialog_frame.h"

#include <algorithm>
#include <cmath>

#include "app/ui/panels.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

void close_dialog(Ui& ui) {
  ui.state.dialog = DialogKind::none;
  ui.state.dialogs.browser.native.reset();
}

void close_dialog_for_choice(Ui& ui) {
  close_dialog(ui);
  ui.state.focus = ui.state.focus_before_dialog;
  ui.state.dialog_before = DialogKind::none;
}

DialogFrame draw_dialog_frame(Ui& ui, const Rect& window, const DialogLook& look) {
  const bool light = relative_luminance(ui.colors.panel) > 0.5;
  fill(window, Rgba{0, 0, 0, static_cast<std::uint8_t>(light ? 115 : 158)});

  const float margin = ui.px(20);
  const float w = std::min(ui.px(look.width), window.width() - 2 * margin);
  const float h = std::min(ui.px(look.height), window.height() - 2 * margin);
  const ImVec2 min{std::floor(window.center().x - w / 2), std::floor(window.center().y - h / 2)};
  DialogFrame dialog;
  dialog.frame = {min, {min.x + w, min.y + h}};
  const float radius = ui.px(size::radius_dialog);
  fill(dialog.frame, ui.colors.panel, radius);
  outline(ui, dialog.frame, ui.colors.edge, 1, radius);

  const float header = ui.px(50);
  const Rect title_area{{min.x + ui.px(20), min.y}, {min.x + w - ui.px(48), min.y + header}};
  text_in(ui, title_area, Type::title15, ui.colors.text, look.title);
  const float button_size = ui.px(28);
  const ImVec2 corner{min.x + w - ui.px(10) - button_size, min.y + (header - button_size) / 2};
  const Rect close{corner, {corner.x + button_size, corner.y + button_size}};
  ControlState state;
  state.tooltip = "Close without doing anything (Esc).";
  const bool closed = icon_button(ui, look.name + "/close", close, Icon::close, state);
  divider(ui, {min.x, min.y + header}, {min.x + w, min.y + header});

  const float footer = look.has_footer ? ui.px(54) : 0;
  dialog.body = {{min.x, min.y + header}, {min.x + w, min.y + h - footer}};
  dialog.footer = {{min.x, min.y + h - footer}, {min.x + w, min.y + h}};
  if (look.has_footer) divider(ui, dialog.footer.min, {dialog.footer.max.x, dialog.footer.min.y});
  ui.mark(look.name, dialog.frame);
  if (closed) close_dialog(ui);
  return dialog;
}

// The dialog that is open, over a shade. Each starts afresh when it opens.
void draw_dialogs(Ui& ui, const Rect& window) {
  const DialogKind drawn = ui.state.dialog;
  switch (drawn) {
    case DialogKind::none:
      break;
    case DialogKind::export_dialog:
      draw_export_dialog(ui, window);
      break;
    case DialogKind::worksheet:
      draw_worksheet_dialog(ui, window);
      break;
    case DialogKind::handout:
      draw_handout_dialog(ui, window);
      break;
    case DialogKind::open_file:
    case DialogKind::choose_file:
      draw_open_dialog(ui, window);
      break;
    case DialogKind::save_session:
      draw_save_dialog(ui, window);
      break;
    case DialogKind::save_script:
      draw_save_script_dialog(ui, window);
      break;
    case DialogKind::help:
      draw_help_dialog(ui, window);
      break;
    case DialogKind::guide:
      draw_guide_dialog(ui, window);
      break;
    case DialogKind::about:
      draw_about_dialog(ui, window);
      break;
    case DialogKind::palette:
      draw_palette_dialog(ui, window);
      break;
    case DialogKind::examples:
      draw_examples_dialog(ui, window);
      break;
    case DialogKind::go_to:
      draw_go_to_dialog(ui, window);
      break;
    case DialogKind::settings:
      draw_settings_dialog(ui, window);
      break;
  }
  if (ui.state.dialog != DialogKind::none && ui.take_key(KeyName::escape)) close_dialog(ui);
  // One that opened from within another has not been shown yet.
  ui.state.dialogs.shown = static_cast<int>(ui.state.dialog == drawn ? drawn : DialogKind::none);
}

}  // namespace headscope::ui

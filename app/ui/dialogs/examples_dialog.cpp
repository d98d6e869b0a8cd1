// The tutorials and the demos, to be opened.
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/guide/example_cards.h"
#include "app/ui/guide/examples.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

void draw_examples_dialog(Ui& ui, const Rect& window) {
  const std::vector<Example>& examples = all_examples();
  const Language& language = language_of(ui);
  const std::string& title = language.text("words/examples");
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::examples) && !examples.empty()) {
    ui.state.focus = "examples/" + examples.front().id;
    ui.state.focus_by_keyboard = true;
  }
  const float height = 50 + 44 + example_cards_height();
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "examples", .title = title, .width = 620, .height = height});
  if (ui.state.dialog == DialogKind::none) return;
  const std::string pressed = draw_example_cards(ui, "examples", inset(dialog.body, ui.px(18)));
  if (pressed.empty()) return;
  close_dialog(ui);
  ui.push(CommandId::open_example, pressed);
}

}  // namespace headscope::ui

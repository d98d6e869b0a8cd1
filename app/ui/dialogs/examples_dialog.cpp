// The tutorials, to be opened.
#include <algorithm>
#include <cmath>

#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/guide/examples.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// Of the texts that the dialog showed last.
struct ExampleLetters {
  std::string letters;
  void add_text(std::string& all) const { all += letters; }
};

constexpr float kCard = 78, kGap = 8;

void draw_card(Ui& ui, const Language& language, const Example& example, const Rect& card) {
  const std::string& about = example_text(language, example, "about");
  const Interaction it =
      interact(ui, "examples/" + example.id, card, {true, false, language.text("words/opens").c_str()});
  const float radius = ui.px(size::radius_field);
  fill(card, it.hovered ? ui.colors.hover : ui.colors.raised, radius);
  Rect inner = inset(card, ui.px(12));
  float y = card.min.y + ui.px(8);
  Rect title = row(inner, y, ui.px(20));
  const std::string count =
      filled_in(language.text("words/mistakes"), {{"count", std::to_string(example.mistakes.size())}});
  text_in(ui, take_right(title, std::ceil(text_width(ui, Type::words11, count)) + 1, ui.px(10)), Type::words11,
          ui.colors.warn, count, 1);
  text_in(ui, title, Type::title13, ui.colors.text, example_text(language, example, "title"));
  paragraph(ui, {{inner.min.x, y + ui.px(2)}, inner.max}, Type::words12, ui.colors.text2, about);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, card, radius);
  if (!it.clicked) return;
  close_dialog(ui);
  ui.push(CommandId::open_example, example.id);
}

}  // namespace

void draw_examples_dialog(Ui& ui, const Rect& window) {
  const std::vector<Example>& examples = all_examples();
  const Language& language = language_of(ui);
  const std::string& title = language.text("words/examples");
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::examples) && !examples.empty()) {
    ui.state.focus = "examples/" + examples.front().id;
    ui.state.focus_by_keyboard = true;
  }
  const float height = 50 + 44 + (kCard + kGap) * static_cast<float>(examples.size());
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "examples", .title = title, .width = 620, .height = height});
  if (ui.state.dialog == DialogKind::none) return;
  const Rect area = inset(dialog.body, ui.px(18));
  // Arrows walk through the cards.
  const auto focused = std::find_if(examples.begin(), examples.end(),
                                    [&](const Example& example) { return ui.state.focus == "examples/" + example.id; });
  if (focused != examples.end()) {
    if (focused + 1 != examples.end() && ui.take_key(KeyName::down)) {
      ui.state.focus = "examples/" + (focused + 1)->id;
    } else if (focused != examples.begin() && ui.take_key(KeyName::up)) {
      ui.state.focus = "examples/" + (focused - 1)->id;
    }
  }
  const float content = ui.px(kCard + kGap) * static_cast<float>(examples.size());
  const ScrollArea scroll = begin_scroll(ui, "examples/list", area, content);
  float y = area.min.y + ui.px(kGap / 2) - scroll.offset;
  std::string& letters = ui.state.panels.get<ExampleLetters>().letters;
  letters = title;
  for (const Example& example : examples) {
    const float right = area.max.x - ui.px(content > area.height() ? 14 : kGap / 2);
    letters += example_text(language, example, "title") + example_text(language, example, "about");
    draw_card(ui, language, example, {{area.min.x + ui.px(kGap / 2), y}, {right, y + ui.px(kCard)}});
    y += ui.px(kCard + kGap);
  }
  end_scroll(ui);
}

}  // namespace headscope::ui

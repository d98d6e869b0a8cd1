#include "app/ui/guide/example_cards.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/guide/examples.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/problem.h"

namespace headscope::ui {
namespace {

constexpr float kCard = 78, kGap = 8;

bool draw_card(Ui& ui, const std::string& name, const Language& language, const Example& example, const Rect& card) {
  const std::string& about = example_text(language, example, "about");
  const Interaction it =
      interact(ui, name + "/" + example.id, card, {true, false, language.text("words/opens").c_str()});
  const float radius = ui.px(size::radius_field);
  fill(card, it.hovered ? ui.colors.hover : ui.colors.raised, radius);
  const Rect inner = inset(card, ui.px(12));
  float y = card.min.y + ui.px(8);
  Rect title = row(inner, y, ui.px(20));
  const std::string count =
      filled_in(language.text("words/mistakes"), {{"count", std::to_string(example.mistakes.size())}});
  text_in(ui, take_right(title, std::ceil(text_width(ui, Type::words11, given(count))) + 1, ui.px(10)), Type::words11,
          ui.colors.warn, given(count), 1);
  text_in(ui, title, Type::title13, ui.colors.text, given(example_text(language, example, "title")));
  paragraph(ui, {{inner.min.x, y + ui.px(2)}, inner.max}, Type::words12, ui.colors.text2, given(about));
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, card, radius);
  return it.clicked;
}

// Up and Down walk through the cards.
void read_keys(Ui& ui, const std::string& name) {
  const std::vector<Example>& examples = all_examples();
  const auto focused = std::find_if(examples.begin(), examples.end(),
                                    [&](const Example& example) { return ui.state.focus == name + "/" + example.id; });
  if (focused == examples.end()) return;
  if (focused + 1 != examples.end() && ui.take_key(KeyName::down)) {
    ui.state.focus = name + "/" + (focused + 1)->id;
  } else if (focused != examples.begin() && ui.take_key(KeyName::up)) {
    ui.state.focus = name + "/" + (focused - 1)->id;
  }
}

bool is_blank(const std::string& phrase) {
  return phrase.find_first_not_of(" \t\n") == std::string::npos;
}

}  // namespace

float example_cards_height() {
  return (kCard + kGap) * static_cast<float>(all_examples().size());
}

std::string draw_example_cards(Ui& ui, const std::string& name, const Rect& area) {
  read_keys(ui, name);
  const Language& language = language_of(ui);
  const float content = ui.px(example_cards_height());
  const ScrollArea scroll = begin_scroll(ui, name + "/list", area, content);
  float y = area.min.y + ui.px(kGap / 2) - scroll.offset;
  std::string& letters = ui.state.panels.get<ExampleLetters>().letters;
  letters = language.text("words/examples") + language.text("words/empty") + language.text("words/empty_text");
  std::string pressed;
  for (const Example& example : all_examples()) {
    const float right = area.max.x - ui.px(content > area.height() ? 14 : kGap / 2);
    letters += example_text(language, example, "title") + example_text(language, example, "about");
    if (draw_card(ui, name, language, example, {{area.min.x + ui.px(kGap / 2), y}, {right, y + ui.px(kCard)}})) {
      pressed = example.id;
    }
    y += ui.px(kCard + kGap);
  }
  end_scroll(ui);
  return pressed;
}

bool offers_examples(const Ui& ui) {
  const std::optional<Problem>& problem = ui.session.problem();
  return problem && problem->option == "phrase" && is_blank(ui.session.draft.phrase);
}

void draw_example_offers(Ui& ui, const Rect& area) {
  ui.mark("offers", area);
  const Language& language = language_of(ui);
  constexpr float kWidest = 760;
  const float width = std::min(ui.px(kWidest), area.width() - 2 * ui.px(size::panel_padding));
  const float left = std::round(area.center().x - width / 2);
  float y = area.min.y + ui.px(20);
  const Rect column{{left, y}, {left + width, area.max.y - ui.px(size::panel_padding)}};
  text_in(ui, row(column, y, ui.px(26)), Type::title15, ui.colors.text, language.text("words/empty"));
  y += paragraph(ui, {{left, y}, {column.max.x, y}}, Type::words13, ui.colors.text2, language.text("words/empty_text"));
  const Rect cards{{left, y + ui.px(12)}, column.max};
  if (cards.height() < ui.px(40)) return;
  const std::string pressed = draw_example_cards(ui, "offers", cards);
  if (!pressed.empty()) ui.push(CommandId::open_example, pressed);
}

}  // namespace headscope::ui

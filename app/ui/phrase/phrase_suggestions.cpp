#include "app/ui/phrase/phrase_suggestions.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// The word before the caret gives way to `word`, and a blank follows it.
void complete(Ui& ui, std::string& phrase, const std::string& word) {
  TextEdit& edit = ui.state.edits["phrase"];
  const std::size_t caret = std::min(edit.caret, phrase.size());
  const std::size_t blank = caret == 0 ? std::string::npos : phrase.find_last_of(" \t\n", caret - 1);
  const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
  const bool blank_follows = caret < phrase.size() && phrase[caret] == ' ';
  phrase = phrase.substr(0, begin) + word + (blank_follows ? "" : " ") + phrase.substr(caret);
  replace_text(edit, phrase);
  move_caret(edit, begin + word.size() + 1, false);
  ui.state.panels.get<PhraseSuggestion>().first.clear();
  ui.state.wants_frame = true;
}

}  // namespace

bool suggests(const UiState& state) {
  const auto* suggestion = state.panels.find<PhraseSuggestion>();
  return state.focus == "phrase" && suggestion != nullptr && !suggestion->first.empty();
}

void take_suggestion(Ui& ui, std::string& phrase) {
  if (!suggests(ui.state) || !ui.take_key(KeyName::tab)) return;
  const std::string word = ui.state.panels.get<PhraseSuggestion>().first;
  complete(ui, phrase, word);
}

void draw_suggestions(Ui& ui, const Rect& box, std::string& phrase) {
  ui.state.panels.get<PhraseSuggestion>().first.clear();
  const auto trace = ui.session.trace();
  if (ui.state.focus != "phrase" || !ui.on_top() || trace == nullptr) return;
  const auto tokenizer = tokenizer_of(*trace);
  if (tokenizer == nullptr) return;
  const std::vector<std::string> words = word_suggestions(*tokenizer, phrase, ui.state.edits["phrase"].caret);
  if (words.empty()) return;
  ui.state.panels.get<PhraseSuggestion>().first = words.front();
  const float height = ui.px(24), gap = ui.px(4), top = box.max.y + ui.px(5);
  float x = box.min.x + ui.px(6);
  const Rect strip{{box.min.x, top - ui.px(2)}, {box.max.x, top + height + ui.px(2)}};
  // The chips below must not see the mouse, and lie under it.
  std::vector<std::pair<Rect, std::string>> places;
  for (const std::string& word : words) {
    const float width = std::ceil(text_width(ui, Type::mono12, given(word))) + ui.px(18);
    if (x + width > box.max.x - ui.px(60)) break;
    places.push_back({{{x, top}, {x + width, top + height}}, word});
    x += width + gap;
  }
  for (const auto& [place, word] : places) {
    const Interaction it = interact_mouse(ui, "phrase/suggest/" + word, place, {}, false);
    if (it.clicked) {
      complete(ui, phrase, word);
      ui.state.focus = "phrase";
    }
  }
  ui.state.covered.push_back(strip);
  ui.overlays.push_back([strip, places, x](Ui& over) {
    fill(strip, over.colors.panel);
    for (const auto& [place, word] : places) {
      const bool first = &word == &places.front().second;
      const float radius = over.px(size::radius_control);
      fill(place, place.contains(ImGui::GetIO().MousePos) ? over.colors.hover : over.colors.raised, radius);
      outline(over, place, first ? over.colors.accent : over.colors.edge, 1, radius);
      text_in(over, place, Type::mono12, over.colors.text, given(word), 0.5f);
    }
    text_in(over, {{x + over.px(6), strip.min.y}, strip.max}, Type::words12, over.colors.text3, "Tab takes the first");
  });
}

}  // namespace headscope::ui

#include "app/ui/phrase/wrapped_text.h"

#include <algorithm>
#include <string_view>

#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"

namespace headscope::ui {

const std::vector<std::size_t>& wrapped_lines(Ui& ui, const std::string& name, const std::string& text, float width) {
  WrappedText& kept = ui.state.panels.get<WrappedTexts>().by_name[name];
  if (kept.width == width && kept.scale == ui.scale && kept.text == text) return kept.begins;
  kept.text = text;
  kept.width = width;
  kept.scale = ui.scale;
  kept.begins = {0};
  float x = 0;
  const std::string_view all = text;
  for (std::size_t at = 0; at < all.size();) {
    if (all[at] == '\n') {
      kept.begins.push_back(++at);
      x = 0;
      continue;
    }
    // A word with the blanks behind it; only the word has to fit.
    std::size_t word = at;
    while (word < all.size() && all[word] != ' ' && all[word] != '\n') ++word;
    std::size_t next = word;
    while (next < all.size() && all[next] == ' ') ++next;
    const float word_width = text_width(ui, kPhraseType, all.substr(at, word - at));
    if (x > 0 && x + word_width > width) {
      kept.begins.push_back(at);
      x = 0;
    }
    if (word_width > width) {
      for (std::size_t g = at; g < word;) {
        const std::size_t end = next_grapheme(all.substr(0, std::min(word, g + 256)), g);
        const float w = text_width(ui, kPhraseType, all.substr(g, end - g));
        if (x > 0 && x + w > width) {
          kept.begins.push_back(g);
          x = 0;
        }
        x += w;
        g = end;
      }
    } else {
      x += word_width;
    }
    x += text_width(ui, kPhraseType, all.substr(word, next - word));
    at = next;
  }
  return kept.begins;
}

}  // namespace headscope::ui

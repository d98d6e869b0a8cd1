// What stands around the maps on paper: the caption and the recipe line.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/utf8.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {

namespace {

constexpr double kCaptionSize = 11, kRecipeSize = 9;
constexpr double kLineOfSize = 1.4;  // the height of a line

// A word, or as much of a longer one as a line holds.
std::vector<std::string> words_of(const std::string& text, const std::function<bool(const std::string&)>& fits) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    while (!word.empty() && !fits(word)) {
      std::size_t cut = next_grapheme(word, 0);
      for (std::size_t next = next_grapheme(word, cut); next < word.size() && fits(word.substr(0, next));) {
        cut = next;
        next = next_grapheme(word, cut);
      }
      if (cut >= word.size()) break;
      words.push_back(word.substr(0, cut));
      word.erase(0, cut);
    }
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// The words of legends, which are joined by dots on a screen, as sentences in one colour.
std::vector<Span> sentences(std::vector<Span> spans, Rgba color) {
  constexpr std::string_view kDot = "\u00b7 ";
  std::erase_if(spans, [](const Span& span) { return span.text.empty() || span.text == "\n"; });
  for (std::size_t k = 0; k < spans.size(); ++k) {
    std::string& text = spans[k].text;
    if (text.starts_with(kDot)) {
      text.erase(0, kDot.size());
      if (k > 0 && !spans[k - 1].text.ends_with('.')) spans[k - 1].text += '.';
    }
    if (k + 1 == spans.size() && !text.ends_with('.')) text += '.';
  }
  bool begins = true;  // a sentence
  for (Span& span : spans) {
    span.color = color;
    if (begins) span.text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(span.text[0])));
    begins = span.text.ends_with('.');
  }
  return spans;
}

}  // namespace

int Sheet::wrapped(int y, const std::vector<Span>& spans, double size) {
  const int left = margin(), width = plan.width - 2 * margin();
  const double height = font(size * kLineOfSize);
  double pen = 0;
  int line = 0;
  for (const Span& span : spans) {
    const FontRole role = span.bold ? FontRole::words_bold : FontRole::words;
    const double space = width_of(" ", role, size);
    std::string run;  // words of one span on one line are one text
    double begin_of_run = pen;
    const auto end_run = [&] {
      text_middle(left + begin_of_run, y + (line + 0.5) * height, run, role, size, span.color);
      run.clear();
    };
    const auto fits = [&](const std::string& word) { return width_of(word, role, size) <= width; };
    for (const std::string& word : words_of(span.text, fits)) {
      if (pen > 0 && pen + width_of(word, role, size) > width) {
        end_run();
        pen = 0;
        ++line;
      }
      if (run.empty()) begin_of_run = pen;
      run += (run.empty() ? "" : " ") + word;
      pen = begin_of_run + width_of(run, role, size) + space;
    }
    end_run();
  }
  return spans.empty() ? 0 : static_cast<int>(std::ceil((line + 1) * height));
}

void Sheet::finish() {
  if (!on_paper()) return;
  int y = plan.height - px(8);  // of what views leave below their last line
  if (view.paper.caption && !caption_.empty()) y += wrapped(y, sentences(caption_, colors.text), kCaptionSize);
  if (view.paper.recipe_line) {
    std::vector<Span> words = {{"headscope", colors.text3}};
    for (const std::string& line : recipe_) words.push_back({"\u00b7 " + line, colors.text3});
    y += px(2);
    y += wrapped(y, words, kRecipeSize);
  }
  plan.height = y + margin();
}

}  // namespace headscope

#include "app/ui/map/panel_sentences.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "app/ui/map/map_colors.h"
#include "app/ui/shown_name.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/hidden_weight.h"

namespace headscope::ui {

std::string fully_masked_sentence(const Trace& trace) {
  const std::vector<std::int64_t>& rows = trace.fully_masked_queries;
  if (rows.empty()) return {};
  std::string which;
  if (rows.size() == 1) {
    const std::vector<std::string> names = trace.query_labels();
    which = fmt::format("Row {}", rows.front());
    if (static_cast<std::size_t>(rows.front()) < names.size() &&
        names[static_cast<std::size_t>(rows.front())].size() < 40) {
      which += fmt::format(" ({})", names[static_cast<std::size_t>(rows.front())]);
    }
    which += " is hidden completely";
  } else {
    constexpr std::size_t shown = 4;
    which = "Rows ";
    for (std::size_t i = 0; i < rows.size() && i < shown; ++i) which += fmt::format("{}{}", i > 0 ? ", " : "", rows[i]);
    if (rows.size() > shown) which += fmt::format(" and {} more", rows.size() - shown);
    which += " are hidden completely";
  }
  const Request& request = trace.request;
  if (has_variant(request, Variant::mask_after_softmax))
    return which + ": the mask sets their weights to 0 after softmax.";
  switch (request.fully_masked) {
    case FullyMasked::zero:
      return which + ": their weights are set to 0.";
    case FullyMasked::uniform:
      return which + ": their weights are set to 1 ÷ key_len.";
    case FullyMasked::as_computed:
      break;
  }
  if (std::isinf(request.mask_fill)) return which + ": 0 ÷ 0, drawn as NaN.";
  return which + fmt::format(": every score is {}, so the weights are equal.", short_number(request.mask_fill));
}

std::string mask_sentence(const Trace& trace) {
  std::string sentence = fully_masked_sentence(trace);
  if (!sentence.empty()) return sentence;
  sentence = hidden_weight_sentence(trace);
  if (sentence.empty()) return {};
  sentence.front() = 'H';
  return sentence + ".";
}

void draw_legend_words(Ui& ui, const Rect& line, const std::string& sentence) {
  struct Word {
    const char* text;
    Rgba color;
    float gap;
  };
  Rect rest = line;
  const float width = std::ceil(text_width(ui, Type::words12, sentence));
  text_in(ui, rest, Type::words12, ui.colors.text2, sentence);
  rest.min.x += width + ui.px(10);
  for (const Word& word : {Word{"rows", ui.colors.query, 3}, Word{"query", ui.colors.text2, 10},
                           Word{"columns", ui.colors.key, 3}, Word{"key", ui.colors.text2, 0}}) {
    const float own = std::ceil(text_width(ui, Type::words12, word.text));
    if (rest.width() < own) return;
    text_in(ui, rest, Type::words12, word.color, word.text);
    rest.min.x += own + ui.px(word.gap);
  }
}

std::string token_or_index(const std::vector<std::string>& names, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  return at < names.size() && !names[at].empty() ? shown_name(names[at]) : fmt::format("#{}", index);
}

std::string as_sentence(std::string words) {
  if (words.empty()) return words;
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words + ".";
}

}  // namespace headscope::ui

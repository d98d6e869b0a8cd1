// The words of examples, a line each, with what is known of the weights of their rows.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kPiece = 4;              // pixels at 1x on both sides of a word
constexpr std::int64_t kMostAround = 8;  // tokens on both sides of query and key

// The tokens around query and key, `around` on both sides, increasing; -1 between two parts.
std::vector<std::int64_t> tokens_around(const CorpusExample& example, std::int64_t count, std::int64_t around) {
  const std::int64_t first = std::min(example.query, example.key), second = std::max(example.query, example.key);
  std::vector<std::int64_t> tokens;
  std::int64_t last = -1;
  for (const std::int64_t center : {first, second}) {
    for (std::int64_t k = std::max(last + 1, center - around); k <= std::min(count - 1, center + around); ++k) {
      if (k != last + 1) tokens.push_back(-1);
      tokens.push_back(k);
      last = k;
    }
  }
  if (last >= 0 && last + 1 < count) tokens.push_back(-1);
  return tokens;
}

// What is known of the row's weight at a token; negative: nothing.
float weight_at(const CorpusExample& example, const std::vector<TokenWeight>* row, std::int64_t token) {
  if (row == nullptr) return token == example.key ? example.value : -1;
  const auto found = std::lower_bound(row->begin(), row->end(), token,
                                      [](const TokenWeight& each, std::int64_t at) { return each.token < at; });
  return found != row->end() && found->token == token ? found->weight : -1;
}

// `row`: null where the strongest weight alone is known.
ExampleLine line_of(Ui& ui, const CorpusPhrase& phrase, const CorpusExample& example,
                    const std::vector<TokenWeight>* row, float width) {
  const auto count = static_cast<std::int64_t>(phrase.pieces.size());
  ExampleLine line;
  for (std::int64_t around = kMostAround; around >= 0; --around) {
    line.pieces.clear();
    float x = 0;
    for (const std::int64_t token : tokens_around(example, count, around)) {
      ExampleLine::Piece piece;
      piece.token = token;
      if (token >= 0) piece.weight = weight_at(example, row, token);
      piece.words = token < 0 ? "\u2026" : visible_piece(phrase.pieces[static_cast<std::size_t>(token)]);
      piece.words = shortened_to(ui, Type::mono12, piece.words, ui.px(120));
      piece.x = x;
      piece.width = std::ceil(text_width(ui, Type::mono12, piece.words)) + 2 * ui.px(kPiece);
      x += piece.width + 1;
      line.pieces.push_back(std::move(piece));
    }
    if (x <= width) break;
  }
  return line;
}

}  // namespace

const CorpusPhrase* example_phrase(const CorpusShown& shown, std::size_t example) {
  if (shown.texts == nullptr || !shown.texts->answer || example >= shown.texts->answer->size()) return nullptr;
  return &(*shown.texts->answer)[example];
}

const ExampleLines& example_lines(Ui& ui, const CorpusShown& shown, float width) {
  ExampleLines& made = ui.state.panels.get<CorpusPanelState>().lines;
  if (made.of == shown.texts && made.width == width) return made;
  made = {shown.texts, width, {}};
  for (std::size_t k = 0; k < shown.examples->size(); ++k) {
    const CorpusPhrase* phrase = example_phrase(shown, k);
    const std::vector<TokenWeight>* row = shown.rows == nullptr ? nullptr : &(*shown.rows)[k];
    made.lines.push_back(phrase == nullptr ? ExampleLine() : line_of(ui, *phrase, (*shown.examples)[k], row, width));
  }
  return made;
}

}  // namespace headscope::ui

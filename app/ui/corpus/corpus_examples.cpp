// The strongest phrases of one head, a line each, and the picked one with its text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 26, kIndex = 58, kWeight = 58, kDetail = 172, kText = 72, kLowest = 320;
constexpr std::size_t kLongestShown = 1'000;  // bytes of a phrase that are shown

// At most so many bytes of it, whole characters.
std::string beginning(const std::string& text) {
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "\u2026";
}

void draw_pieces(Ui& ui, const ExampleLine& line, const CorpusExample& example, const Rect& place) {
  canvas().PushClipRect(place.min, place.max, true);
  for (const ExampleLine::Piece& piece : line.pieces) {
    const Rect box{{place.min.x + piece.x, place.min.y + ui.px(3)},
                   {place.min.x + piece.x + piece.width, place.max.y - ui.px(3)}};
    Rgba ink = piece.token < 0 ? ui.colors.text3 : ui.colors.text2;
    if (piece.weight >= 0) {
      const Rgba ground = color_at(color_map_of(ui, true), static_cast<double>(piece.weight));
      fill(box, ground, ui.px(size::radius_inner));
      ink = ink_on(ground);
    }
    if (piece.token >= 0 && piece.token == example.key) {
      outline(ui, box, ui.colors.key, 1.5f, ui.px(size::radius_inner));
    }
    if (piece.token >= 0 && piece.token == example.query) {
      outline(ui, inset(box, example.query == example.key ? ui.px(2) : 0), ui.colors.query, 1.5f,
              ui.px(size::radius_inner));
      if (piece.weight < 0) ink = ui.colors.text;
    }
    text_in(ui, box, Type::mono12, ink, piece.words, 0.5f);
  }
  canvas().PopClipRect();
}

void draw_row(Ui& ui, const CorpusShown& shown, std::size_t k, const ExampleLine& line, const Rect& place) {
  const CorpusExample& example = (*shown.examples)[k];
  Rect inner = inset(place, ui.px(4));
  text_in(ui, take_left(inner, ui.px(kIndex), ui.px(8)), Type::mono11, ui.colors.text2, grouped_digits(example.phrase),
          1);
  text_in(ui, take_right(inner, ui.px(kWeight), ui.px(6)), Type::mono12, ui.colors.text,
          number_label(static_cast<double>(example.value), 4), 1);
  if (!line.pieces.empty())
    return draw_pieces(ui, line, example, {{inner.min.x, place.min.y}, {inner.max.x, place.max.y}});
  const CorpusPhrase* phrase = example_phrase(shown, k);
  const std::string words = phrase != nullptr ? shortened_to(ui, Type::mono12, beginning(phrase->text), inner.width())
                                              : fmt::format("query {} \u00b7 key {}", example.query, example.key);
  text_in(ui, inner, Type::mono12, ui.colors.text2, words);
}

void read_keys(Ui& ui, const CorpusShown& shown) {
  const auto last = static_cast<std::int64_t>(shown.examples->size()) - 1;
  std::int64_t& example = ui.session.view.corpus.example;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    example = std::clamp<std::int64_t>(static_cast<std::int64_t>(shown.example) + step->row, 0, last);
  } else if (ui.take_key(KeyName::home)) {
    example = 0;
  } else if (ui.take_key(KeyName::end)) {
    example = last;
  } else if (ui.take_key(KeyName::enter)) {
    return open_example(ui, shown);
  }
}

void draw_list(Ui& ui, const CorpusShown& shown, const Rect& list) {
  const std::size_t count = shown.examples->size();
  const float content = ui.px(kRow) * static_cast<float>(count);
  const ExampleLines& made = example_lines(ui, shown, list.width() - ui.px(kIndex + kWeight + 14 + 8 + 10));
  const Interaction it = interact_mouse(ui, kCorpusExamples, list);
  const ScrollArea scroll = begin_scroll(ui, kCorpusExamples, list, content);
  const Rect rows{list.min, {list.max.x - (content > list.height() ? ui.px(10) : 0), list.max.y}};
  float y = list.min.y - scroll.offset;
  bool opens = false;
  const auto tenth = [&](std::size_t k) { return decile_of((*shown.examples)[k].value); };
  for (std::size_t k = 0; k < count; ++k) {
    const Rect place = row(rows, y, ui.px(kRow));
    if (place.max.y < list.min.y || place.min.y > list.max.y) continue;
    if (ui.probe != nullptr) ui.mark(fmt::format("corpus/example/{}", k), place);
    const bool hovered = it.hovered && place.contains(ImGui::GetIO().MousePos);
    if (k == shown.example || hovered)
      fill(place, k == shown.example ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_control));
    if (k == shown.example) outline(ui, place, ui.colors.accent, 1.5f, ui.px(size::radius_control));
    draw_row(ui, shown, k, k < made.lines.size() ? made.lines[k] : ExampleLine(), place);
    if (shown.by_tenths && k > 0 && tenth(k) != tenth(k - 1)) {
      horizontal_line(ui, place.min.x, place.max.x, place.min.y, ui.colors.edge);
    }
    if (hovered && it.clicked) ui.session.view.corpus.example = static_cast<std::int64_t>(k);
    opens = opens || (hovered && it.double_clicked);
  }
  end_scroll(ui);
  if (opens) open_example(ui, shown);
  if (it.focused && count > 0) read_keys(ui, shown);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(list, -ui.px(1)), ui.px(3));
}

// "·it → ·animal", its places, its weight.
void draw_cell(Ui& ui, const CorpusShown& shown, const Rect& place) {
  const CorpusExample& example = (*shown.examples)[shown.example];
  fill(place, ui.colors.well, ui.px(size::radius_control));
  outline(ui, place, ui.colors.line, 1, ui.px(size::radius_control));
  Rect line = inset(place, ui.px(6));
  text_in(ui, take_right(line, ui.px(50), ui.px(6)), Type::mono_bold12, ui.colors.text,
          number_label(static_cast<double>(example.value), 4), 1);
  const std::string where = fmt::format("query {} \u00b7 key {}", example.query, example.key);
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::mono11, ours(where))) + 1, ui.px(6)), Type::mono11,
          ui.colors.text2, ours(where), 1);
  const CorpusPhrase* phrase = example_phrase(shown, shown.example);
  const auto token = [&](std::int64_t at) {
    const bool known = phrase != nullptr && at >= 0 && at < static_cast<std::int64_t>(phrase->pieces.size());
    return known ? visible_piece(phrase->pieces[static_cast<std::size_t>(at)]) : std::string();
  };
  const std::string query = token(example.query), key = token(example.key);
  if (query.empty() || key.empty()) return;
  const auto word = [&](const std::string& words, Rgba ink) {
    const std::string cut = shortened_to(ui, Type::mono12, words, ui.px(90));
    text_in(ui, take_left(line, std::ceil(text_width(ui, Type::mono12, cut)) + 1, ui.px(8)), Type::mono12, ink, cut);
  };
  word(query, ui.colors.query);
  word("\u2192", ui.colors.text3);
  word(key, ui.colors.key);
}

void draw_detail(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const CorpusExample& example = (*shown.examples)[shown.example];
  const CorpusPhrase* phrase = example_phrase(shown, shown.example);
  float y = area.min.y;
  const Rect title = row(area, y, ui.px(28));
  std::string fact = phrase == nullptr || phrase->ids.empty() ? "" : grouped_count(phrase->ids.size(), "token");
  if (phrase != nullptr && phrase->cut) fact += ", the rest was not scanned";
  text_in(ui, title, Type::title12, ui.colors.text,
          (shown.headvis != nullptr ? "A sequence of interval " : "Phrase ") + grouped_digits(example.phrase));
  text_in(ui, title, Type::words11, ui.colors.text3, fact, 1);
  const Rect box = row(area, y, ui.px(kText));
  fill(box, ui.colors.well, ui.px(size::radius_control));
  canvas().PushClipRect(box.min, box.max, true);
  const Rect inner = inset(box, ui.px(8));
  paragraph(ui, {inner.min, {inner.max.x, inner.min.y}}, Type::words12,
            phrase == nullptr ? ui.colors.text3 : ui.colors.text,
            phrase == nullptr ? example_obstacle(shown) : beginning(phrase->text));
  canvas().PopClipRect();
  y += ui.px(6);
  draw_cell(ui, shown, row(area, y, ui.px(28)));
  y += ui.px(6);
  Rect line = row(area, y, ui.px(size::control_height));
  const std::string obstacle = example_obstacle(shown);
  if (button(ui, "corpus/open", take_right(line, ui.px(96), ui.px(8)), "Open",
             {true, false, "Opens the microscope on this phrase, layer, head and cell. Undo comes back."}, true)) {
    open_example(ui, shown);
  }
  text_in(ui, line, Type::words11, ui.colors.text3,
          obstacle.empty() ? "Enter opens it in the microscope" : "something is missing: Open says what");
}

// What the listed examples are.
std::string examples_fact(const CorpusShown& shown) {
  const std::size_t count = shown.examples->size();
  const std::string head = shown.name_of(shown.head);
  if (shown.headvis != nullptr) {
    return fmt::format("{} of {}, the strongest interval first", grouped_count(count, "sequence"), head);
  }
  if (shown.by_tenths) return fmt::format("{} of {} by chance, some of each tenth", grouped_count(count, "row"), head);
  if (count == 1) return fmt::format("the phrase with the strongest weight of {}", head);
  return fmt::format("the {} phrases with the strongest weight of {}", count, head);
}

// What is painted. A scan's file has the strongest weight of a row, HeadVis's folder the largest of each.
void draw_legend(Ui& ui, const CorpusShown& shown, const Rect& place) {
  const bool rows = shown.rows != nullptr;
  const std::string words = rows ? "query framed, its row painted by weight" : "query framed, key painted by weight";
  text_in(ui, place, Type::words11, ui.colors.text3, given(shortened_to(ui, Type::words11, words, place.width())));
  ui.mark("corpus/legend: " + words, place);
  interact_mouse(ui, "corpus/legend", place,
                 {true, false,
                  rows ? "The query is framed, and the key of its largest weight. Words are painted by the weights of "
                         "the query's row that the folder has: the largest of it."
                       : "The query and the key of the strongest weight are framed. That weight is the only one of its "
                         "row in the file: no other word is painted. Open shows the whole row."},
                 false);
}

}  // namespace

void draw_corpus_examples(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const std::size_t count = shown.examples->size();
  panel_header(ui, {area.min, {area.max.x, area.min.y + ui.px(36)}}, "Examples", examples_fact(shown));
  Rect body{{area.min.x + pad, area.min.y + ui.px(36)}, {area.max.x - pad, area.max.y - ui.px(8)}};
  body.min.y = draw_examples_source(ui, shown, body);
  if (count == 0) {
    paragraph(ui, {body.min, {body.max.x, body.min.y}}, Type::words12, ui.colors.text, example_obstacle(shown));
    return;
  }
  Rect detail = body;
  const bool low = body.height() < ui.px(kLowest);
  detail.min.y = low ? body.max.y : body.max.y - ui.px(kDetail);
  Rect titles = row(body, body.min.y, ui.px(18));
  text_in(ui, take_left(titles, ui.px(kIndex + 2), ui.px(8)), Type::words11, ui.colors.text3,
          shown.headvis != nullptr ? "interval" : "phrase", 1);
  text_in(ui, take_right(titles, ui.px(kWeight), ui.px(10)), Type::words11, ui.colors.text3, "weight", 1);
  draw_legend(ui, shown, titles);
  draw_list(ui, shown, {body.min, {body.max.x, detail.min.y - ui.px(8)}});
  if (!low) draw_detail(ui, shown, detail);
}

}  // namespace headscope::ui

#include "core/handout/handout_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/words.h"
#include "core/handout/found_stop.h"
#include "core/handout/stop_map.h"
#include "core/handout/stop_words.h"
#include "core/handout/wrapped_lines.h"
#include "core/picture/palette.h"
#include "core/picture/text/text.h"
#include "core/text/visual_order.h"
#include "core/worksheet/sheet_paper.h"

namespace headscope {

namespace {

// Tenths of a millimetre.
constexpr double kTitle = 56, kNumber = 44, kWords = 38, kSmall = 30, kLeading = 1.42;
constexpr int kBesideWords = 580, kBetween = 50;  // the column of the words, and the gap to the map
constexpr int kGap = 24, kAroundRule = 44;
constexpr int kLeastMap = 900;  // a map below words goes to a page of its own where less is left
constexpr int kWholePage = 1 << 20;
constexpr std::size_t kMostPhraseWords = 60;

struct TextBlock {
  std::vector<WrappedLine> lines;
  PaperType type;
  int below = 0;  // the gap to the next one

  int leading() const { return static_cast<int>(std::lround(type.size * kLeading)); }
  int height() const { return lines.empty() ? 0 : static_cast<int>(lines.size()) * leading() + below; }
};

int height_of(const std::vector<TextBlock>& blocks) {
  int height = 0;
  for (const TextBlock& block : blocks) height += block.height();
  return height;
}

TextBlock block_of(std::string_view text, const PaperType& type, int width, int below) {
  return {wrapped_lines(text, type.role, type.size, width), type, below};
}

// Puts the picture on the page, with its corner at (x, y).
void place(FigurePlan& page, const FigurePlan& picture, int x, int y) {
  for (auto item : picture.items) {
    std::visit(
        [&](auto& one) {
          using Item = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<Item, CurveItem>) {
            one.x0 += x;
            one.x1 += x;
            one.y0 += y;
            one.y1 += y;
          } else {
            one.x += x;
            one.y += y;
          }
          if constexpr (std::is_same_v<Item, MapItem>) {
            one.spec.hatch_x += x;
            one.spec.hatch_y += y;
          }
        },
        item);
    page.items.push_back(std::move(item));
  }
}

// The phrase, or its first words and how many more there are.
std::string phrase_words(const std::string& phrase) {
  const std::vector<std::string_view> words = words_of(phrase);
  std::string text;
  for (std::size_t k = 0; k < std::min(words.size(), kMostPhraseWords); ++k) {
    text += (k == 0 ? "" : " ") + std::string(words[k]);
  }
  if (text.empty()) return "";
  text = "\u201c" + isolated(text) + "\u201d";
  return words.size() <= kMostPhraseWords ? text
                                          : text + fmt::format(" and {} more words", words.size() - kMostPhraseWords);
}

class HandoutWriter {
 public:
  HandoutWriter(const Trace& run, const Handout& handout, const HandoutPaper& how, const CancelToken& cancel)
      : run_(run),
        handout_(handout),
        how_(how),
        cancel_(cancel),
        colors_(palette(Theme::light)),
        paper_(how.size == SheetSize::a4 ? 2100 : 2159, how.size == SheetSize::a4 ? 2970 : 2794) {}

  std::vector<FigurePlan> pages() {
    write_head();
    for_each_stop(run_, handout_, cancel_, [&](const FoundStop& stop, std::size_t k) { write_stop(stop, k); });
    paper_.foot(foot());
    return std::move(paper_.pages);
  }

 private:
  int width() const { return paper_.right() - paper_.left(); }

  void write_head() {
    flow({block_of(handout_.title, {FontRole::words_bold, kTitle, colors_.text}, width(), 14)});
    Trace without_phrase = run_;
    without_phrase.request.phrase.clear();
    const std::string facts = request_facts(without_phrase);
    const std::string phrase = phrase_words(run_.request.phrase);
    flow({block_of(phrase, {FontRole::words, kSmall, colors_.text}, width(), 0),
          block_of(facts, {FontRole::words, kSmall, colors_.text2}, width(), 0)});
    paper_.skip(20);
  }

  // The title as far as a line has room beside the number of the page, by whole words.
  std::string foot() const {
    constexpr double kFootLetters = 25;
    std::string text;
    for (const std::string_view word : words_of(handout_.title)) {
      const std::string longer = text + (text.empty() ? "" : " ") + std::string(word);
      if (drawn_width(longer, FontRole::words, kFootLetters) > width() - 500) break;
      text = longer;
    }
    return text.empty() ? "Handout" : isolated(text);
  }

  // Text from the left margin to the right one, over as many pages as it needs.
  void flow(const std::vector<TextBlock>& blocks) {
    for (const TextBlock& block : blocks) {
      for (const WrappedLine& line : block.lines) {
        paper_.need(block.leading());
        write_line(line, block.type, paper_.left(), width(), paper_.y());
        paper_.skip(block.leading());
      }
      if (!block.lines.empty()) paper_.skip(block.below);
    }
  }

  // Text in a column of the page, from y downwards; y() stays.
  void write_column(const std::vector<TextBlock>& blocks, int x, int wide, int y) {
    for (const TextBlock& block : blocks) {
      for (const WrappedLine& line : block.lines) {
        write_line(line, block.type, x, wide, y);
        y += block.leading();
      }
      if (!block.lines.empty()) y += block.below;
    }
  }

  void write_line(const WrappedLine& line, const PaperType& type, int x, int wide, int y) {
    paper_.line(line.right_to_left ? x + wide : x, y + type.size, line.text, type, line.right_to_left ? 1 : 0);
  }

  std::vector<TextBlock> words_of_stop(const FoundStop& stop, std::size_t k, int wide) const {
    const PaperType small{FontRole::words, kSmall, colors_.text2};
    return {block_of(fmt::format("{} of {}", k + 1, handout_.stops.size()),
                     {FontRole::words_bold, kNumber, colors_.text}, wide, 10),
            block_of(stop.stop().words, {FontRole::words, kWords, colors_.text}, wide, kGap),
            block_of(fact_words(stop, cancel_), {FontRole::words, kSmall, colors_.text}, wide, 14),
            block_of(stop.stop().elsewhere, small, wide, 14)};
  }

  void write_stop(const FoundStop& stop, std::size_t k) {
    if (how_.stops_per_page == 2 && write_beside(stop, k)) return;
    if (begun_) paper_.need(kWholePage);
    begun_ = true;
    slots_ = 0;
    write_below(stop, k);
  }

  void write_rule() { paper_.fill({paper_.left(), paper_.y() + kAroundRule / 2, width(), 2, colors_.edge}); }

  // The map below the words, on as many pages as both need.
  void write_below(const FoundStop& stop, std::size_t k) {
    write_rule();
    paper_.skip(kAroundRule);
    flow(words_of_stop(stop, k, width()));
    if (paper_.bottom() - paper_.y() < kLeastMap) paper_.need(kWholePage);
    const PaperType small{FontRole::words, kSmall, colors_.text2};
    // The words below the map are known once it is laid out; there are at most as many as beside a part of it.
    const auto map_of = [&](int below) {
      return stop_map(stop, {width(), paper_.bottom() - paper_.y() - below - kGap}, cancel_);
    };
    StopMap map = map_of(0);
    TextBlock words = block_of(map_words(stop, map), small, width(), 0);
    map = map_of(words.height() + words.leading());
    words = block_of(map_words(stop, map), small, width(), 0);
    place(paper_.pages.back(), map.plan, paper_.left(), paper_.y());
    paper_.skip(map.plan.height + kGap);
    flow({words});
  }

  // The words at the left and the map at the right, in one of two places of a page; false where they need more room.
  bool write_beside(const FoundStop& stop, std::size_t k) {
    const std::vector<TextBlock> words = words_of_stop(stop, k, kBesideWords);
    const int x = paper_.left() + kBesideWords + kBetween, wide = paper_.right() - x;
    const int top = slots_ == 0 && begun_ ? SheetPaper::kMargin : paper_.y();
    const int slot = slots_ == 1 ? slot_ : (paper_.bottom() - top) / 2;
    const int room = slot - 2 * kAroundRule;
    const PaperType small{FontRole::words, kSmall, colors_.text2};
    StopMap map = stop_map(stop, {wide, room}, cancel_);
    const TextBlock below = block_of(map_words(stop, map), small, wide, 0);
    map = stop_map(stop, {wide, room - below.height() - kGap}, cancel_);
    if (!map.whole || height_of(words) > room) return false;
    if (slots_ == 0) {
      if (begun_) paper_.need(kWholePage);
      slots_ = 2;
      slot_ = slot;
    }
    begun_ = true;
    --slots_;
    const int y = paper_.y() + kAroundRule;
    write_rule();
    write_column(words, paper_.left(), kBesideWords, y);
    place(paper_.pages.back(), map.plan, x, y);
    write_column({below}, x, wide, y + map.plan.height + kGap);
    paper_.skip(slot_);
    return true;
  }

  const Trace& run_;
  const Handout& handout_;
  const HandoutPaper& how_;
  const CancelToken& cancel_;
  const Palette& colors_;
  SheetPaper paper_;
  bool begun_ = false;        // a stop stands on the page
  int slots_ = 0, slot_ = 0;  // places left on the page, and their height
};

}  // namespace

std::vector<FigurePlan> handout_pages(const Trace& run, const Handout& handout, const HandoutPaper& paper,
                                      const CancelToken& cancel) {
  return HandoutWriter(run, handout, paper, cancel).pages();
}

}  // namespace headscope

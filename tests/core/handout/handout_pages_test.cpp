// Where stops, words and maps stand on the pages of a handout.
#include "core/handout/handout_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/handout/handout_file.h"
#include "tests/core/handout/made_handouts.h"
#include "tests/core/picture/figure/figure_items.h"

namespace headscope {
namespace {

const HandoutPaper kPapers[] = {{SheetSize::a4, 1}, {SheetSize::a4, 2}, {SheetSize::letter, 1}, {SheetSize::letter, 2}};

// The pages on which some line is `text`.
std::vector<int> pages_with(const std::vector<FigurePlan>& pages, const std::string& text) {
  std::vector<int> found;
  for (std::size_t k = 0; k < pages.size(); ++k) {
    if (has_line(pages[k], text)) found.push_back(static_cast<int>(k));
  }
  return found;
}

// All lines of all pages, in order.
std::string all_text(const std::vector<FigurePlan>& pages) {
  std::string all;
  for (const FigurePlan& page : pages) {
    for (const TextItem& item : items_of<TextItem>(page)) all += item.text + " ";
  }
  return all;
}

void expect_within(const FigurePlan& page) {
  constexpr int kEdge = 100;  // a centimetre, which every printer leaves
  for (const TextItem& text : items_of<TextItem>(page)) {
    const double length = drawn_width(text.text, text.role, text.size);
    const bool upwards = text.quarter_turns != 0;
    EXPECT_GE(text.x, kEdge) << text.text;
    EXPECT_LE(text.x + (upwards ? 0 : length), page.width - kEdge) << text.text;
    EXPECT_GE(text.y - (upwards ? length : text.size), kEdge / 2) << text.text;
    EXPECT_LE(text.y, page.height - kEdge / 2) << text.text;
  }
  for (const MapItem& map : items_of<MapItem>(page)) {
    EXPECT_GE(map.x, kEdge);
    EXPECT_LE(map.x + map.spec.width, page.width - kEdge);
    EXPECT_LE(map.y + map.spec.height, page.height - kEdge);
  }
}

// No line of words lies over a map, or over another line.
void expect_apart(const FigurePlan& page) {
  for (const MapItem& map : items_of<MapItem>(page)) {
    for (const TextItem& text : items_of<TextItem>(page)) {
      if (text.quarter_turns != 0) continue;
      const double right = text.x + drawn_width(text.text, text.role, text.size);
      const bool beside = right <= map.x || text.x >= map.x + map.spec.width;
      const bool above = text.y <= map.y || text.y - text.size * 0.75 >= map.y + map.spec.height;
      EXPECT_TRUE(beside || above) << text.text;
    }
  }
}

TEST(HandoutPages, EveryStopIsOnOnePageWithItsWordsAndItsMap) {
  const auto trace = small_trace(6, {{"mask", "causal"}});
  const Handout handout = four_stops();
  for (const HandoutPaper& paper : kPapers) {
    const auto pages = handout_pages(*trace, handout, paper);
    EXPECT_EQ(pages.size(), paper.stops_per_page == 1 ? 4u : 2u);
    std::size_t maps = 0;
    for (const FigurePlan& page : pages) {
      EXPECT_EQ(page.ground, (Rgba{255, 255, 255, 255}));
      EXPECT_EQ(page.width, paper.size == SheetSize::a4 ? 2100 : 2159);
      expect_within(page);
      expect_apart(page);
      maps += items_of<MapItem>(page).size();
      EXPECT_TRUE(has_text(page, "Who looks where, page ")) << "the foot";
    }
    EXPECT_EQ(maps, 4u);
    for (int k = 0; k < 4; ++k) {
      const std::vector<int> on = pages_with(pages, std::to_string(k + 1) + " of 4");
      EXPECT_EQ(on, (std::vector<int>{k / paper.stops_per_page}));
    }
    EXPECT_NE(all_text(pages).find("The picked word looks back."), std::string::npos);
    EXPECT_NE(all_text(pages).find("注意力看哪里"), std::string::npos);
  }
}

// Of a phrase of so many words, two stops with every word named at its row and at its column.
void expect_all_named(int words, std::size_t pages_of_two) {
  Request request = small_request(1);
  request.phrase = many_words(words);
  const auto trace = trace_of(request);
  const Handout handout{"Many", {made_stop("All of them.", 1, StopCell{words - 1, 3}), made_stop("Again.", 2)}};
  const auto pages = handout_pages(*trace, handout, {SheetSize::a4, 2});
  EXPECT_EQ(pages.size(), pages_of_two);
  std::size_t maps = 0;
  for (const FigurePlan& page : pages) {
    expect_within(page);
    expect_apart(page);
    const auto texts = items_of<TextItem>(page);
    const auto here = items_of<MapItem>(page);
    for (const MapItem& map : here) EXPECT_EQ(map.spec.matrix.dim(0), words);
    for (int k = 0; k < words; ++k) {
      const std::string word = "word" + std::to_string(k);
      EXPECT_EQ(std::count_if(texts.begin(), texts.end(), [&](const TextItem& item) { return item.text == word; }),
                2 * std::ssize(here))
          << word;
    }
    maps += here.size();
  }
  EXPECT_EQ(maps, 2u);
}

TEST(HandoutPages, FortyWordsAreAllNamedBesideTheTeachers) {
  expect_all_named(40, 1);
}

TEST(HandoutPages, AMapThatNeedsThePageHasOneOfItsOwn) {
  expect_all_named(55, 2);
}

TEST(HandoutPages, LongWordsOfTheTeacherGoOnOverPages) {
  const auto trace = small_trace(6);
  for (const HandoutPaper& paper : kPapers) {
    const Handout handout{"Long", {made_stop("Short."), made_stop(many_words(1500), 1), made_stop("Last.", 2)}};
    const auto pages = handout_pages(*trace, handout, paper);
    EXPECT_GE(pages.size(), 4u);
    const std::string all = all_text(pages);
    std::size_t at = 0;
    for (int k = 0; k < 1500; ++k) {
      at = all.find("word" + std::to_string(k) + " ", at);
      ASSERT_NE(at, std::string::npos) << k;
    }
    for (const FigurePlan& page : pages) {
      expect_within(page);
      expect_apart(page);
    }
    EXPECT_EQ(pages_with(pages, "3 of 3"), (std::vector<int>{static_cast<int>(pages.size()) - 1}));
  }
}

TEST(HandoutPages, AWordWithoutEndIsCutAndALongTitleToo) {
  const auto trace = small_trace(4);
  const Handout handout{std::string(400, 'M'), {made_stop(std::string(3000, 'W'))}};
  for (const HandoutPaper& paper : kPapers) {
    for (const FigurePlan& page : handout_pages(*trace, handout, paper)) expect_within(page);
  }
}

TEST(HandoutPages, ALongPhraseIsNamedByItsFirstWords) {
  Request request = small_request(1);
  request.phrase = many_words(300);
  const auto trace = trace_of(request);
  const auto pages =
      handout_pages(*trace, {"Long", {made_stop("Here.", 0, StopCell{250, 200})}}, {SheetSize::letter, 2});
  EXPECT_NE(all_text(pages).find("and 240 more words"), std::string::npos);
  for (const FigurePlan& page : pages) expect_within(page);
}

TEST(HandoutPages, WhatTheResultLacksNamesTheStop) {
  const auto trace = small_trace(5);
  const auto refusal = [&](const HandoutStop& stop) -> std::string {
    Handout handout = four_stops();
    handout.stops[2] = stop;
    std::ostringstream out;
    try {
      write_handout_pdf(out, *trace, handout, {});
    } catch (const Error& error) {
      EXPECT_EQ(out.str(), "") << "nothing is written";
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(made_stop("", 3)), "");
  EXPECT_EQ(refusal(made_stop("", 4)), "stop 3: head 4 asked for, the heads are 0 to 3");
  EXPECT_EQ(refusal(made_stop("", 0, StopCell{5, -1})), "stop 3: query 5 is picked, the queries are 0 to 4");
  EXPECT_NE(refusal(made_stop("", 0, StopCell{1, 7})).find("the keys 0 to 4"), std::string::npos);
  HandoutStop stop = made_stop("");
  stop.view.stage = StageId::concat;
  EXPECT_NE(refusal(stop).find("stop 3: found concat; expected a map of queries and keys"), std::string::npos);
  stop.view.stage = StageId::dropped_weights;
  EXPECT_NE(refusal(stop).find("stop 3: this request has no stage dropped_weights"), std::string::npos);
  stop = made_stop("");
  stop.view.batch = 1;
  EXPECT_NE(refusal(stop).find("stop 3: 1 asked for, the batches are 0 to 0"), std::string::npos);
}

TEST(HandoutPages, ThePreviewIsTheFirstPage) {
  const auto trace = small_trace(6);
  const HandoutPreview preview = handout_preview(*trace, four_stops(), {SheetSize::a4, 2}, 300);
  EXPECT_EQ(preview.pages, 2);
  EXPECT_EQ(preview.first.width, 300);
  EXPECT_EQ(preview.first.height, 424);
  const auto dark = std::count_if(preview.first.pixels.begin(), preview.first.pixels.end(),
                                  [](const Rgba& pixel) { return pixel.r < 128 && pixel.g < 128; });
  EXPECT_GT(dark, 500) << "words and maps";
}

}  // namespace
}  // namespace headscope

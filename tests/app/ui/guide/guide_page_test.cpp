// The guide: what its files hold, how they are read, and what is found in them.
#include "app/ui/guide/guide_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/guide/guide_text.h"
#include "app/ui/guide/languages.h"

namespace headscope::ui {
namespace {

using Kind = GuideBlock::Kind;

std::vector<Kind> kinds_of(const GuidePage& page) {
  std::vector<Kind> kinds;
  for (const GuideBlock& block : page.blocks) kinds.push_back(block.kind);
  return kinds;
}

TEST(GuidePage, IsReadBlockByBlock) {
  const GuidePage page =
      parse_guide_page("p",
                       "# A *title*\n\nTwo lines\nof words.\n\n- one,\n  that goes on\n- two\n\n7. seven\n\n"
                       "   ![what it shows](../a.png)\n\n```sh\n a  b\n\n# c\n```\n"
                       "| x | y |\n|---|---|\n| `1` | **2** |\n\n## Below\n");
  EXPECT_EQ(page.title, "A *title*");
  EXPECT_EQ(kinds_of(page), (std::vector<Kind>{Kind::heading, Kind::paragraph, Kind::item, Kind::item, Kind::item,
                                               Kind::picture, Kind::code, Kind::table, Kind::heading}));
  EXPECT_EQ(guide_words(page.blocks[1]), "Two lines of words.");
  EXPECT_EQ(page.blocks[2].mark, "-");
  EXPECT_EQ(guide_words(page.blocks[2]), "one, that goes on");
  EXPECT_EQ(page.blocks[4].mark, "7.");
  EXPECT_EQ(guide_words(page.blocks[5]), "what it shows");
  EXPECT_EQ(page.blocks[6].code, (std::vector<std::string>{" a  b", "", "# c"}));
  ASSERT_EQ(page.blocks[7].rows.size(), 2u);
  EXPECT_EQ(page.blocks[7].rows[1][0][0].kind, GuideSpan::Kind::code);
  EXPECT_EQ(page.blocks[7].rows[1][1][0].kind, GuideSpan::Kind::strong);
  EXPECT_EQ(page.blocks[8].mark, "##");
}

TEST(GuidePage, ALineHasWordsCodeAndLinks) {
  const GuidePage page = parse_guide_page("p", "a [b c](d.md), `e [f]` and **g**; 2 * 3, [h] and ` alone");
  ASSERT_EQ(page.blocks.size(), 1u);
  const GuideLine& line = page.blocks[0].line;
  std::vector<std::string> texts;
  for (const GuideSpan& span : line) texts.push_back(span.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"a ", "b c", ", ", "e [f]", " and ", "g", "; 2 * 3, [h] and ` alone"}));
  EXPECT_EQ(line[1].target, "d.md");
  EXPECT_EQ(line[1].kind, GuideSpan::Kind::link);
  EXPECT_EQ(line[3].kind, GuideSpan::Kind::code);
}

TEST(GuidePage, ACommentIsAParagraphWithNumbersOfTheRun) {
  const GuidePage page = parse_guide_page("p",
                                          "# t\n\nbefore\n<!-- run: The angle is **{angle}** of {other}. -->\nafter\n"
                                          "<!-- no words -->\n");
  ASSERT_EQ(page.blocks.size(), 4u);
  EXPECT_EQ(page.blocks[2].live, "run");
  EXPECT_TRUE(is_live(page));
  EXPECT_EQ(guide_words(filled_page(page, {{"run", ""}, {"angle", "2"}}).blocks[2]), "The angle is 2 of {other}.");
  const GuidePage without = filled_page(page, {{"angle", "2"}});
  ASSERT_EQ(without.blocks.size(), 4u) << "blocks keep their numbers";
  EXPECT_EQ(guide_words(without.blocks[2]), "");
  EXPECT_EQ(guide_words(without.blocks[3]), "after");
  EXPECT_EQ(find_heading(page, "T"), 0u);
  EXPECT_EQ(find_heading(page, "before"), std::nullopt);
}

TEST(GuidePage, NothingAndHalvesAreRead) {
  EXPECT_TRUE(parse_guide_page("p", "").blocks.empty());
  for (const char* text : {"```\ncode without an end", "| a |", "#", "[", "[a](", "**", "`", "![", "- ", "1. "}) {
    const GuidePage page = parse_guide_page("p", text);
    EXPECT_LE(page.blocks.size(), 1u) << text;
  }
}

// Eleven tasks, the glossary and RoPE, and every link to a page or an example is one in the window.
TEST(GuidePages, AllOfThemAreThereAndTheirLinksLeadSomewhere) {
  ASSERT_EQ(guide_pages().size(), 13u);
  int pages = 0, examples = 0;
  for (const GuidePage& page : guide_pages()) {
    EXPECT_FALSE(page.title.empty()) << page.id;
    EXPECT_EQ(page.blocks.front().kind, Kind::heading) << page.id;
    for (const GuideBlock& block : page.blocks) {
      for (const GuideSpan& span : block.line) {
        if (span.kind != GuideSpan::Kind::link) continue;
        const std::string action = guide_action(span.target);
        const bool inside = span.target.find("../") == std::string::npos || span.target.starts_with("../examples/");
        EXPECT_EQ(!action.empty(), inside) << page.id << ": " << span.target;
        pages += action.starts_with("page:");
        examples += action.starts_with("example:");
      }
    }
  }
  EXPECT_GE(pages, 4);
  EXPECT_GE(examples, 5);
}

std::vector<std::string> of_kind(const GuideLine& line, GuideSpan::Kind kind) {
  std::vector<std::string> found;
  for (const GuideSpan& span : line) {
    if (span.kind == kind) found.push_back(kind == GuideSpan::Kind::link ? span.target : span.text);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The code and the links of a line are the same in another language, in any order.
void expect_same_line(const GuideLine& line, const GuideLine& english, const std::string& where) {
  for (const GuideSpan::Kind kind : {GuideSpan::Kind::code, GuideSpan::Kind::link}) {
    EXPECT_EQ(of_kind(line, kind), of_kind(english, kind)) << where;
  }
  EXPECT_EQ(line.empty(), english.empty()) << where;
}

// Blocks have the same numbers in every language: the glossary is looked up by them.
TEST(GuidePages, EveryPageHasTheSameBlocksInEveryLanguage) {
  for (const Language& language : languages()) {
    if (language.code == "en") continue;
    for (const GuidePage& english : guide_pages()) {
      const GuidePage* page = find_guide_page(english.id, language.code);
      ASSERT_NE(page, nullptr);
      const std::string name = language.code + "/" + english.id;
      EXPECT_NE(page->title, english.title) << name << " is not translated";
      ASSERT_EQ(page->blocks.size(), english.blocks.size()) << name;
      for (std::size_t k = 0; k < english.blocks.size(); ++k) {
        const GuideBlock &here = page->blocks[k], &there = english.blocks[k];
        const std::string where = name + ": " + guide_words(there).substr(0, 60);
        EXPECT_EQ(here.kind, there.kind) << where;
        EXPECT_EQ(here.mark, there.mark) << where;
        EXPECT_EQ(here.live, there.live) << where;
        EXPECT_EQ(here.code, there.code) << where;
        expect_same_line(here.line, there.line, where);
        ASSERT_EQ(here.rows.size(), there.rows.size()) << where;
        for (std::size_t row = 0; row < there.rows.size(); ++row) {
          ASSERT_EQ(here.rows[row].size(), there.rows[row].size()) << where;
          for (std::size_t cell = 0; cell < there.rows[row].size(); ++cell) {
            expect_same_line(here.rows[row][cell], there.rows[row][cell], where);
          }
        }
      }
    }
  }
}

TEST(GuidePages, NoMarkIsLeftInTheirWords) {
  for (const GuidePage& page : guide_pages()) {
    for (const GuideBlock& block : page.blocks) {
      if (block.kind == Kind::code) continue;
      const auto plain = [&](const GuideLine& line) {
        for (const GuideSpan& span : line) {
          if (span.kind == GuideSpan::Kind::code) continue;
          for (const char* mark : {"**", "](", "```", "`", "---"}) {
            EXPECT_EQ(span.text.find(mark), std::string::npos) << page.id << ": " << span.text;
          }
        }
      };
      plain(block.line);
      for (const auto& row : block.rows) {
        EXPECT_EQ(row.size(), block.rows.front().size()) << page.id;
        for (const GuideLine& cell : row) plain(cell);
      }
    }
  }
}

TEST(GuideSearch, FindsEveryWordInOnePlace) {
  const std::vector<GuideHit> hits = find_in_guide("GGUF  pre-tokenizer", 50);
  ASSERT_FALSE(hits.empty());
  for (const GuideHit& hit : hits) EXPECT_EQ(hit.page->id, "03-my-checkpoint");
  EXPECT_NE(hits.front().excerpt.find("GGUF"), std::string::npos) << hits.front().excerpt;
  EXPECT_FALSE(hits.front().heading.empty());
  EXPECT_TRUE(find_in_guide("  ", 50).empty());
  EXPECT_TRUE(find_in_guide("xyzzyx", 50).empty());
  EXPECT_EQ(find_in_guide("the", 7).size(), 7u);
}

}  // namespace
}  // namespace headscope::ui

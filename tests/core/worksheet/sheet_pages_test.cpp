#include "core/worksheet/sheet_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/io/pdf.h"
#include "core/picture/text/text.h"
#include "core/worksheet/sheet_tasks.h"
#include "core/worksheet/worksheet_file.h"

namespace headscope {
namespace {

std::vector<TextItem> texts_of(const std::vector<FigurePlan>& pages) {
  std::vector<TextItem> texts;
  for (const FigurePlan& page : pages) {
    for (const auto& item : page.items) {
      if (const auto* text = std::get_if<TextItem>(&item)) texts.push_back(*text);
    }
  }
  return texts;
}

std::ptrdiff_t count_of(const std::vector<TextItem>& texts, const std::string& text) {
  return std::count_if(texts.begin(), texts.end(), [&](const TextItem& item) { return item.text == text; });
}

WorksheetSpec largest() {
  WorksheetSpec spec;
  spec.words = {"WWWWWWWWWWWW", "wwwwwwwwwwww", "green", "book"};
  spec.heads = 2;
  spec.d_model = 4;
  spec.blanks = blank_choices_of("26");
  return spec;
}

TEST(SheetPages, AStudentSeesEveryOperandAndNoCalculation) {
  WorksheetSpec spec;
  spec.blanks = blank_choices_of("12");
  const HandSheet sheet = drawn_sheet(spec, 1);
  const auto asked = texts_of(sheet_pages(spec, sheet, SheetSize::a4, false));
  const auto solved = texts_of(sheet_pages(spec, sheet, SheetSize::a4, true));
  for (const SheetTask& task : tasks_of(spec, sheet)) {
    EXPECT_GE(count_of(asked, task.operands), 1) << task.operands;
    EXPECT_GE(count_of(solved, task.calculation), 1) << task.calculation;
    EXPECT_EQ(count_of(asked, std::string(1, task.letter)), 2) << "in its field and beside its operands";
    if (task.calculation != task.operands) {
      EXPECT_EQ(count_of(asked, task.calculation), 0) << task.calculation;
    }
    const std::string value = printed_text(task.value);
    EXPECT_GE(count_of(solved, value), 2) << "in its field and behind its calculation";
  }
}

TEST(SheetPages, ABlankHasNoNumberOnTheSheet) {
  WorksheetSpec spec;
  spec.blanks = blank_choices_of("sum[0,0],sum[0,1],sum[0,2]");
  const HandSheet sheet = drawn_sheet(spec, 4);
  const auto asked = texts_of(sheet_pages(spec, sheet, SheetSize::a4, false));
  for (const SheetTask& task : tasks_of(spec, sheet)) EXPECT_EQ(count_of(asked, printed_text(task.value)), 0);
}

TEST(SheetPages, NothingLeavesThePaperAndNothingIsCut) {
  for (const SheetSize size : {SheetSize::a4, SheetSize::letter}) {
    for (const bool solved : {false, true}) {
      WorksheetSpec spec = largest();
      for (int number = 1; number <= 5; ++number) {
        for (const FigurePlan& page : sheet_pages(spec, drawn_sheet(spec, number), size, solved)) {
          for (const TextItem& text : texts_of({page})) {
            EXPECT_GE(text.x, 100) << text.text;
            EXPECT_LE(text.x + drawn_width(text.text, text.role, text.size), page.width - 100) << text.text;
            EXPECT_LE(text.y, page.height - 80) << text.text;
          }
        }
      }
    }
  }
}

// Twelve of the widest letters, twice, in both sizes of paper and with every count of heads and features.
TEST(SheetPages, NoWordIsCut) {
  WorksheetSpec spec;
  spec.words = {"WWWWWWWWWWWW", "wwwwwwwwwwww", "WWWWWWWWWWWW", "mmmmmmmmmmmm"};
  spec.blanks = blank_choices_of("26");
  for (const auto& [heads, d_model] : {std::pair{1, 2}, {1, 3}, {1, 4}, {2, 4}}) {
    spec.heads = heads;
    spec.d_model = d_model;
    for (const SheetSize size : {SheetSize::a4, SheetSize::letter}) {
      for (const bool solved : {false, true}) {
        const std::vector<FigurePlan> pages = sheet_pages(spec, drawn_sheet(spec, 1), size, solved);
        for (const TextItem& text : texts_of(pages)) {
          EXPECT_EQ(text.text.find("…"), std::string::npos) << text.text;
          EXPECT_LE(text.x + drawn_width(text.text, text.role, text.size), pages.front().width - 100) << text.text;
        }
        EXPECT_GE(count_of(texts_of(pages), "WWWWWWWWWWWW 2"), 8) << "a row and a column of the tables";
      }
    }
  }
}

TEST(SheetPages, AWordThatIsThereTwiceIsToldApartInWords) {
  WorksheetSpec spec;
  spec.words = {"the", "cat", "the"};
  const auto texts = texts_of(sheet_pages(spec, drawn_sheet(spec, 1), SheetSize::a4, false));
  EXPECT_EQ(count_of(texts, "the"), 0);
  EXPECT_EQ(count_of(texts, "the 0"), count_of(texts, "the 2"));
  EXPECT_GE(count_of(texts, "the 0"), 12) << "eight rows and four columns of tables";
}

TEST(SheetPages, LettersThatNoFontHasAreNamed) {
  EXPECT_EQ(missing_letters_words(WorksheetSpec()), "");
  WorksheetSpec spec;
  spec.words = {"a\U0010FFFDb", "\U0010FFFD", "\U0010FFFC"};
  const std::string words = missing_letters_words(spec);
  EXPECT_NE(words.find("(U+10FFFD), "), std::string::npos) << words;
  EXPECT_NE(words.find("(U+10FFFC): boxes"), std::string::npos) << words;
  EXPECT_EQ(words.find("(U+10FFFD)"), words.rfind("(U+10FFFD)")) << "once";
  spec.words[1] = "\U0010FFF0\U0010FFF1\U0010FFF2\U0010FFF3\U0010FFF4\U0010FFF5";
  EXPECT_NE(missing_letters_words(spec).find(" and 2 more: "), std::string::npos) << missing_letters_words(spec);
}

TEST(SheetPages, ATaskOverlapsNeitherItsPlaceNorItsAnswer) {
  const WorksheetSpec spec = largest();
  for (int number = 1; number <= 20; ++number) {
    for (const bool solved : {false, true}) {
      const auto texts = texts_of(sheet_pages(spec, drawn_sheet(spec, number), SheetSize::a4, solved));
      for (std::size_t k = 1; k < texts.size(); ++k) {
        const TextItem &before = texts[k - 1], &text = texts[k];
        if (before.y != text.y || before.x > text.x || text.role != FontRole::words) continue;
        EXPECT_LE(before.x + drawn_width(before.text, before.role, before.size), text.x)
            << before.text << " and " << text.text;
      }
    }
  }
}

TEST(SheetPages, AUsualSheetIsOnePage) {
  EXPECT_EQ(student_pages(WorksheetSpec(), SheetSize::a4), 1);
  EXPECT_EQ(student_pages(WorksheetSpec(), SheetSize::letter), 1);
  WorksheetSpec spec;
  spec.words.emplace_back("again");
  spec.d_model = 4;
  EXPECT_EQ(student_pages(spec, SheetSize::a4), 1);
}

TEST(SheetPages, TheDocumentHasEverySheetThenEverySolution) {
  WorksheetSpec spec;
  spec.sheets = 3;
  std::ostringstream first, again;
  double share = 0;
  write_worksheet_pdf(first, spec, SheetSize::a4, {}, [&](double done) { share = done; });
  write_worksheet_pdf(again, spec, SheetSize::a4, {}, {});
  EXPECT_EQ(first.str(), again.str());
  EXPECT_EQ(share, 1);
  ASSERT_TRUE(is_pdf(first.str()));
  EXPECT_NE(first.str().find("/Count 6"), std::string::npos);
}

TEST(SheetPages, ACancelledDocumentEnds) {
  WorksheetSpec spec;
  CancelToken cancel;
  cancel.cancel();
  std::ostringstream out;
  EXPECT_THROW(write_worksheet_pdf(out, spec, SheetSize::a4, cancel, {}), Cancelled);
}

TEST(SheetPages, TheTableHasALineABlank) {
  WorksheetSpec spec;
  spec.seed = 7;
  spec.sheets = 2;
  spec.blanks = blank_choices_of("scores[0,1,0],weights[0,1,0]");
  std::ostringstream out;
  write_worksheet_csv(out, spec);
  std::istringstream lines(out.str());
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0], "sheet,seed,blank,cell,value,calculation");
  const std::vector<SheetTask> tasks = tasks_of(spec, drawn_sheet(spec, 2));
  EXPECT_EQ(all[4], "2,8,B,\"weights[0,1,0]\"," + decimal_text(tasks[1].value) + "," + tasks[1].calculation);
}

TEST(SheetPages, APreviewIsTheFirstPage) {
  const Image image = worksheet_preview(WorksheetSpec(), SheetSize::a4, 210);
  EXPECT_EQ(image.width, 210);
  EXPECT_EQ(image.height, 297);
  EXPECT_TRUE(std::any_of(image.pixels.begin(), image.pixels.end(), [](Rgba pixel) { return pixel.r < 128; }));
}

}  // namespace
}  // namespace headscope

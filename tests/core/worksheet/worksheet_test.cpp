#include "core/worksheet/worksheet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/worksheet/sheet_tasks.h"

namespace headscope {
namespace {

// Every size that a sheet may have, with and without a mask.
std::vector<WorksheetSpec> all_sizes() {
  std::vector<WorksheetSpec> specs;
  for (const bool causal : {false, true}) {
    for (const int words : {3, 4}) {
      for (const auto& [heads, d_model] : {std::pair{1, 2}, {1, 3}, {1, 4}, {2, 2}, {2, 4}}) {
        WorksheetSpec spec;
        spec.words = {"green", "book", "cat"};
        if (words == 4) spec.words.emplace_back("again");
        spec.causal = causal;
        spec.heads = heads;
        spec.d_model = d_model;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

// A student with a pen: reads what is printed beside a blank, and has filled in the blanks before it. Hundredths.
class Student {
 public:
  // What stands in the text as numbers and letters, in hundredths, in its order.
  std::vector<long> numbers(const std::string& text) const {
    std::vector<long> found;
    for (std::size_t at = 0; at < text.size();) {
      const bool minus = text.compare(at, 3, "\u2212") == 0;
      if (minus) at += 3;
      const char c = text[at];
      if (c >= 'A' && c <= 'Z') {
        found.push_back(filled_.at(c));
        ++at;
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        std::size_t end = at;
        while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.'))
          ++end;
        const long hundredths = std::lround(std::strtod(text.substr(at, end - at).c_str(), nullptr) * 100);
        found.push_back(minus ? -hundredths : hundredths);
        at = end;
      } else {
        ++at;
      }
    }
    return found;
  }

  // By the operation that is printed: a product of vectors, a power of e, a sum, a share or a product.
  long compute(const std::string& text) const {
    const std::vector<long> all = numbers(text);
    if (text.starts_with("e^")) return std::lround(std::exp(static_cast<double>(all.at(0)) / 100) * 100);
    if (text.find(" / ") != text.npos) return (2 * all.at(0) * 100 + all.at(1)) / (2 * all.at(1));
    if (text.find(" · ") != text.npos) {
      long sum = 0;
      const std::size_t half = all.size() / 2;
      EXPECT_EQ(all.size(), 2 * half) << text;
      for (std::size_t k = 0; k < half; ++k) sum += all[k] * all[half + k];
      EXPECT_EQ(sum % 100, 0) << text << " is exact in hundredths";
      return sum / 100;
    }
    if (text.find(" × ") != text.npos) return all.at(0) * all.at(1) / 100;
    long sum = 0;
    for (const long number : all) sum += number;
    return sum;
  }

  void fill(char letter, long hundredths) { filled_[letter] = hundredths; }

 private:
  std::map<char, long> filled_;
};

long hundredths(Decimal number) {
  return std::lround(std::strtod(decimal_text(number).c_str(), nullptr) * 100);
}

// The calculation of the solutions, "1 × 2 + (−2) × 1": sums of products, else as printed for students.
long calculated(const std::string& text) {
  const Student student;
  if (text.find(" × ") == text.npos) return student.compute(text);
  long sum = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(" + ", begin), text.size());
    const std::vector<long> factors = student.numbers(text.substr(begin, end - begin));
    sum += factors.at(0) * factors.at(1);
    begin = end + 3;
  }
  return sum / 100;
}

void expect_computable(const WorksheetSpec& spec) {
  for (int number = 1; number <= spec.sheets; ++number) {
    const HandSheet sheet = drawn_sheet(spec, number);
    Student student;
    for (const SheetTask& task : tasks_of(spec, sheet)) {
      const long answer = student.compute(task.operands);
      EXPECT_EQ(answer, hundredths(task.value))
          << task.place << ": " << task.operands << ", seed " << sheet.seed << ", " << sheet_cell_text(task.cell);
      EXPECT_EQ(calculated(task.calculation), answer) << task.calculation;
      student.fill(task.letter, answer);
    }
  }
}

TEST(Worksheet, AHandThatKnowsOnlyWhatIsPrintedGetsThePrintedResult) {
  for (WorksheetSpec spec : all_sizes()) {
    spec.sheets = 200;
    spec.blanks = blank_choices_of("14");
    expect_computable(spec);
  }
}

TEST(Worksheet, EveryCellOfEveryStageCanBeComputed) {
  for (WorksheetSpec spec : all_sizes()) {
    spec.sheets = 10;
    for (const SheetStage stage : kSheetStages) {
      spec.blanks = {{stage, std::nullopt, 4}};
      if (stage == SheetStage::sum) spec.blanks.front().count = 2;
      expect_computable(spec);
    }
  }
}

TEST(Worksheet, NumbersAreSmallAndWeightsAddUpButForRounding) {
  for (WorksheetSpec spec : all_sizes()) {
    for (int number = 1; number <= 40; ++number) {
      const HandSheet sheet = drawn_sheet(spec, number);
      for (const SheetHead& head : sheet.heads) {
        for (int i = 0; i < spec.length(); ++i) {
          long sum = 0;
          for (int j = 0; j < spec.length(); ++j) {
            const auto at = [&](const DecimalGrid& grid) {
              return hundredths(grid[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
            };
            EXPECT_LE(std::labs(at(head.scores)), 300);
            if (is_hidden(spec, i, j)) {
              EXPECT_EQ(at(head.weights), 0);
            }
            sum += at(head.weights);
          }
          EXPECT_LE(std::labs(sum - 100), 2);
        }
      }
    }
  }
}

TEST(Worksheet, EverySheetHasNumbersOfItsOwnAndTheSameSeedIsTheSameSheet) {
  WorksheetSpec spec;
  spec.sheets = 200;
  std::set<std::string> seen;
  for (int number = 1; number <= spec.sheets; ++number) {
    const HandSheet sheet = drawn_sheet(spec, number);
    std::string all;
    for (const DecimalGrid* grid : {&sheet.heads[0].query, &sheet.heads[0].key, &sheet.heads[0].value}) {
      for (const auto& row : *grid) {
        for (const Decimal n : row) all += decimal_text(n) + " ";
      }
    }
    EXPECT_TRUE(seen.insert(all).second) << "sheet " << number;
  }
  WorksheetSpec alone;
  alone.seed = 41;
  const HandSheet again = drawn_sheet(alone, 1), among = drawn_sheet(spec, 42);
  EXPECT_EQ(again.heads[0].query, among.heads[0].query);
  EXPECT_EQ(again.output, among.output);
  EXPECT_EQ(again.blanks, among.blanks);
}

TEST(Worksheet, OneSheetIsTheSameOnEveryMachine) {
  const HandSheet sheet = drawn_sheet(WorksheetSpec(), 1);
  EXPECT_EQ(sheet.scale, (Decimal{71, 2}));
  std::string query;
  for (const auto& row : sheet.heads[0].query) query += decimal_text(row[0]) + "," + decimal_text(row[1]) + ";";
  EXPECT_EQ(query, "-2,-2;2,2;0,-2;");
}

TEST(Worksheet, ANumberOfBlanksGoesThroughAllStages) {
  WorksheetSpec spec;
  spec.blanks = blank_choices_of("7");
  std::set<SheetStage> stages;
  for (const SheetCell& cell : drawn_sheet(spec, 1).blanks) stages.insert(cell.stage);
  EXPECT_EQ(stages.size(), kSheetStages.size());
}

TEST(Worksheet, CellsAreChosenByNameAndDrawnFromTheRest) {
  WorksheetSpec spec;
  spec.blanks = blank_choices_of("weights[0,1,2],output[2,0],sum[0,1],raw_scores:2,weights[0,1,2]");
  const HandSheet sheet = drawn_sheet(spec, 1);
  ASSERT_EQ(sheet.blanks.size(), 5u);
  EXPECT_TRUE(std::is_sorted(sheet.blanks.begin(), sheet.blanks.end()));
  EXPECT_EQ(sheet.letter({SheetStage::sum, 0, 1, 0}), 'C');
  EXPECT_EQ(sheet.letter({SheetStage::weights, 0, 1, 2}), 'D');
  EXPECT_EQ(sheet.letter({SheetStage::output, 0, 2, 0}), 'E');
  EXPECT_FALSE(sheet.letter({SheetStage::output, 0, 2, 1}).has_value());
  spec.blanks = blank_choices_of("weights:all");
  EXPECT_EQ(drawn_sheet(spec, 1).blanks.size(), 9u);
  spec.causal = true;
  EXPECT_EQ(drawn_sheet(spec, 1).blanks.size(), 5u) << "neither what is hidden nor the 1 of the first word";
}

TEST(Worksheet, ABlankAmongTheOperandsIsItsLetter) {
  WorksheetSpec spec;
  spec.blanks = blank_choices_of("exp[0,1,2],weights[0,1,2]");
  const std::vector<SheetTask> tasks = tasks_of(spec, drawn_sheet(spec, 3));
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_TRUE(tasks[1].operands.starts_with("A / ")) << tasks[1].operands;
  EXPECT_TRUE(tasks[1].calculation.starts_with(printed_text(tasks[0].value) + " / ")) << tasks[1].calculation;
}

TEST(Worksheet, AWordThatIsThereTwiceHasItsPositionBehindIt) {
  WorksheetSpec spec;
  spec.words = {"the", "cat", "the"};
  EXPECT_EQ(word_names(spec), (std::vector<std::string>{"the 0", "cat", "the 2"}));
  spec.blanks = blank_choices_of("weights[0,2,0],output[2,1]");
  const std::vector<SheetTask> tasks = tasks_of(spec, drawn_sheet(spec, 1));
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].place, "weight: the 2 → the 0");
  EXPECT_EQ(tasks[1].place, "output: the 2, feature 1");
  EXPECT_EQ(word_names(WorksheetSpec()), WorksheetSpec().words);
}

std::string refusal(const WorksheetSpec& spec) {
  try {
    check_worksheet(spec);
  } catch (const UsageError& error) {
    return error.option();
  }
  return "";
}

TEST(Worksheet, WhatAHandCannotComputeIsRefusedByItsOption) {
  const auto changed = [](auto change) {
    WorksheetSpec spec;
    change(spec);
    return refusal(spec);
  };
  EXPECT_EQ(changed([](WorksheetSpec&) {}), "");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.words.pop_back(); }), "phrase");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.words.resize(5, "a"); }), "phrase");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.words[0] = "incomprehensible"; }), "phrase");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.words[0] = "\xff"; }), "phrase");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.words[0] = "schweißnähte"; }), "") << "12 letters of more bytes";
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.heads = 3; }), "heads");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.d_model = 5; }), "d-model");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.heads = 2, s.d_model = 3; }), "d-model");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.sheets = 501; }), "sheets");
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.seed = kLast; }), "");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.seed = kLast, s.sheets = 2; }), "seed") << "the second would have seed 0";
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.seed = kLast - 1, s.sheets = 2; }), "");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.blanks = blank_choices_of("raw_scores:10"); }), "cells");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.blanks = blank_choices_of("27"); }), "cells");
  EXPECT_EQ(changed([](WorksheetSpec& s) { s.blanks = blank_choices_of("weights[1,0,0]"); }), "cells");
  EXPECT_EQ(changed([](WorksheetSpec& s) {
              s.causal = true;
              s.blanks = blank_choices_of("weights[0,0,2]");
            }),
            "cells");
}

}  // namespace
}  // namespace headscope

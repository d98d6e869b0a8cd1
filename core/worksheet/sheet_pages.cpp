#include "core/worksheet/sheet_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/picture/palette.h"
#include "core/picture/text/text.h"
#include "core/worksheet/sheet_paper.h"
#include "core/worksheet/sheet_tables.h"
#include "core/worksheet/sheet_tasks.h"

namespace headscope {

namespace {

constexpr double kTitle = 52, kBody = 30, kSmall = 26;
constexpr int kTask = 74, kSecondLine = 44, kAnswer = 300, kGap = 30;

// One sheet, from its head to its last blank.
class SheetWriter {
 public:
  SheetWriter(const WorksheetSpec& spec, const HandSheet& sheet, SheetSize size, bool solved)
      : spec_(spec),
        sheet_(sheet),
        solved_(solved),
        colors_(palette(Theme::light)),
        paper_(size == SheetSize::a4 ? 2100 : 2159, size == SheetSize::a4 ? 2970 : 2794) {}

  std::vector<FigurePlan> pages() {
    write_head();
    write_tables();
    write_tasks();
    const std::string numbered = fmt::format("sheet {} of {}", sheet_.number, spec_.sheets);
    paper_.foot(solved_ ? fmt::format("Attention by hand, solutions of {}, seed {}", numbered, sheet_.seed)
                        : fmt::format("Attention by hand, {}", numbered));
    return std::move(paper_.pages);
  }

 private:
  void write_head() {
    const double baseline = paper_.y() + kTitle;
    paper_.line(paper_.left(), baseline, solved_ ? "Attention by hand: solutions" : "Attention by hand",
                {FontRole::words_bold, kTitle, colors_.text});
    paper_.line(paper_.right(), baseline, fmt::format("sheet {}", sheet_.number),
                {FontRole::words_bold, kTitle, colors_.text}, 1);
    paper_.skip(86);
    if (!solved_) write_name();
    std::string text = fmt::format(
        "The query of a word meets the key of every word: query · key, times {} (1 / √{}), is the score. e to the "
        "power "
        "of a score, divided by the sum of its row, is the weight. ",
        printed_text(sheet_.scale), spec_.head_dim());
    if (spec_.causal) text += "No word sees a later one: its score is −∞, its weight 0. ";
    text += spec_.heads > 1 ? "The weights times the values are the context of a head; the contexts of both heads side "
                              "by side, times W, are the output."
                            : "The weights times the values are the context; the context times W is the output.";
    paper_.paragraph(text, kBody, colors_.text);
    paper_.skip(10);
    paper_.paragraph(
        "Round e^score and weights to two decimals, 5 upwards, before you go on; everything else is exact. Rounded "
        "weights of a row may add up to 0.99 or 1.01.",
        kBody, colors_.text2);
    paper_.skip(26);
  }

  void write_name() {
    const double baseline = paper_.y() + kBody;
    paper_.line(paper_.left(), baseline, "Name", {FontRole::words, kBody, colors_.text2});
    paper_.fill({paper_.left() + 100, static_cast<int>(baseline) + 6, 800, 2, colors_.edge});
    paper_.line(paper_.left() + 960, baseline, "Date", {FontRole::words, kBody, colors_.text2});
    paper_.fill({paper_.left() + 1050, static_cast<int>(baseline) + 6, 400, 2, colors_.edge});
    paper_.skip(80);
  }

  // Tables side by side as long as they fit, a head below the other.
  void write_tables() {
    for (int h = 0; h < spec_.heads; ++h) {
      if (spec_.heads > 1) {
        paper_.need(420);
        paper_.line(paper_.left(), paper_.y() + 36, fmt::format("Head {}", h),
                    {FontRole::words_bold, 36, colors_.text});
        paper_.skip(58);
      }
      write_row(head_tables(spec_, sheet_, h));
    }
    write_row(output_tables(spec_, sheet_));
  }

  void write_row(const std::vector<SheetTable>& tables) {
    constexpr int kBetween = 52, kBelow = 34;
    int x = paper_.left(), tallest = 0;
    for (const SheetTable& table : tables) {
      const TableSize size = table_size(table);
      if (x > paper_.left() && x + size.width > paper_.right()) {
        paper_.skip(tallest + kBelow);
        x = paper_.left();
        tallest = 0;
      }
      if (x == paper_.left()) paper_.need(size.height);
      draw_table(paper_, table, x, solved_);
      x += size.width + kBetween;
      tallest = std::max(tallest, size.height);
    }
    paper_.skip(tallest + kBelow);
  }

  void write_tasks() {
    paper_.need(kTask + 60);
    paper_.line(paper_.left(), paper_.y() + 34, solved_ ? "Calculations" : "Blanks",
                {FontRole::words_bold, 34, colors_.text});
    paper_.skip(52);
    for (const SheetTask& task : tasks_of(spec_, sheet_)) write_task(task);
  }

  // A task takes one line, or two where its words are too wide for one.
  void write_task(const SheetTask& task) {
    const std::string& numbers = solved_ ? task.calculation : task.operands;
    const int wide = solved_ ? 200 : kAnswer, left = paper_.left() + 66, right = paper_.right() - wide - 24;
    const double taken = drawn_width(numbers, FontRole::words, kBody) + kGap;
    const bool two_lines = drawn_width(task.place, FontRole::words, kSmall) > right - left - taken;
    paper_.need(kTask + (two_lines ? kSecondLine : 0));
    paper_.line(paper_.left() + 14, paper_.y() + 44, std::string(1, task.letter),
                {FontRole::words_bold, kBody, colors_.accent});
    paper_.line(left, paper_.y() + 44, fit_text(task.place, FontRole::words, kSmall, paper_.right() - left),
                {FontRole::words, kSmall, colors_.text2});
    if (two_lines) paper_.skip(kSecondLine);
    const double baseline = paper_.y() + 44;
    paper_.line(right, baseline, numbers, {FontRole::words, kBody, colors_.text}, 1);
    paper_.line(paper_.right() - wide, baseline, "=", {FontRole::words, kBody, colors_.text});
    if (solved_) {
      paper_.line(paper_.right(), baseline, printed_text(task.value), {FontRole::words_bold, kBody, colors_.text}, 1);
    } else {
      paper_.fill({paper_.right() - wide + 36, static_cast<int>(baseline) + 8, wide - 36, 2, colors_.edge});
    }
    paper_.skip(solved_ ? kTask - 16 : kTask);
  }

  const WorksheetSpec& spec_;
  const HandSheet& sheet_;
  const bool solved_;
  const Palette& colors_;
  SheetPaper paper_;
};

}  // namespace

std::vector<FigurePlan> sheet_pages(const WorksheetSpec& spec, const HandSheet& sheet, SheetSize size, bool solved) {
  return SheetWriter(spec, sheet, size, solved).pages();
}

}  // namespace headscope

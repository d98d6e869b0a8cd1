#include "core/worksheet/worksheet_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/picture_rows.h"
#include "core/picture/figure/figure_plan.h"
#include "core/picture/text/missing_letters.h"
#include "core/picture/text/text_fonts.h"
#include "core/worksheet/sheet_pages.h"
#include "core/worksheet/sheet_tasks.h"

namespace headscope {

namespace {

void add_pages(std::vector<FigurePlan>& all, std::vector<FigurePlan> pages) {
  std::move(pages.begin(), pages.end(), std::back_inserter(all));
}

// The page in so many pixels: texts and rectangles, which is all that it holds.
FigurePlan scaled(const FigurePlan& page, int width) {
  const double share = static_cast<double>(width) / page.width;
  const auto pixels = [share](int length) { return static_cast<int>(std::lround(length * share)); };
  FigurePlan small = page;
  small.width = width;
  small.height = pixels(page.height);
  for (auto& item : small.items) {
    if (auto* const text = std::get_if<TextItem>(&item)) {
      text->x *= share;
      text->y *= share;
      text->size *= share;
    } else if (auto* const rect = std::get_if<RectItem>(&item)) {
      // Lines stay visible.
      *rect = {pixels(rect->x), pixels(rect->y), std::max(1, pixels(rect->width)), std::max(1, pixels(rect->height)),
               rect->color};
    }
  }
  return small;
}

}  // namespace

void write_worksheet_pdf(std::ostream& out, const WorksheetSpec& spec, SheetSize size, const CancelToken& cancel,
                         const std::function<void(double)>& progress) {
  std::vector<FigurePlan> pages, solutions;
  for (int number = 1; number <= spec.sheets; ++number) {
    cancel.check();
    const HandSheet sheet = drawn_sheet(spec, number);
    add_pages(pages, sheet_pages(spec, sheet, size, false));
    add_pages(solutions, sheet_pages(spec, sheet, size, true));
  }
  add_pages(pages, std::move(solutions));
  pages.front().title = "Attention by hand";
  pages.front().description = "Worksheets with numbers of their own, and their solutions";
  write_pdf_pages(out, pages, cancel, progress);
}

void write_worksheet_csv(std::ostream& out, const WorksheetSpec& spec) {
  out << "sheet,seed,blank,cell,value,calculation\n";
  for (int number = 1; number <= spec.sheets; ++number) {
    const HandSheet sheet = drawn_sheet(spec, number);
    for (const SheetTask& task : tasks_of(spec, sheet)) {
      out << number << ',' << sheet.seed << ',' << task.letter << ',' << csv_field(sheet_cell_text(task.cell)) << ','
          << decimal_text(task.value) << ',' << csv_field(task.calculation) << '\n';
    }
  }
}

std::string missing_letters_words(const WorksheetSpec& spec) {
  return words_of_letters_without_font(fmt::format("{}", fmt::join(spec.words, " ")), FontRole::words);
}

int student_pages(const WorksheetSpec& spec, SheetSize size) {
  return static_cast<int>(sheet_pages(spec, drawn_sheet(spec, 1), size, false).size());
}

Image worksheet_preview(const WorksheetSpec& spec, SheetSize size, int width) {
  const FigurePlan page = sheet_pages(spec, drawn_sheet(spec, 1), size, false).front();
  return drawn_whole(plan_rows(scaled(page, width), {}));
}

void write_worksheet(const WorksheetFiles& files, const WorksheetSpec& spec, SheetSize size, const CancelToken& cancel,
                     const std::function<void(double)>& progress) {
  FilesTogether together;
  if (!files.pdf.empty()) {
    together.add(files.pdf, [&](std::ostream& out) { write_worksheet_pdf(out, spec, size, cancel, progress); });
  }
  if (!files.solutions.empty()) {
    together.add(files.solutions, [&](std::ostream& out) { write_worksheet_csv(out, spec); });
  }
  together.commit();
}

}  // namespace headscope

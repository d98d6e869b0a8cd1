#include "core/worksheet/worksheet_file.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/picture_rows.h"
#include "core/picture/figure/figure_plan.h"
#include "core/worksheet/sheet_pages.h"
#include "core/worksheet/sheet_tasks.h"

namespace headscope {

namespace {

void add_pages(std::vector<FigurePlan>& all, std::vector<FigurePlan> pages) {
  std::move(pages.begin(), pages.end(), std::back_inserter(all));
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

int student_pages(const WorksheetSpec& spec, SheetSize size) {
  return static_cast<int>(sheet_pages(spec, drawn_sheet(spec, 1), size, false).size());
}

Image worksheet_preview(const WorksheetSpec& spec, SheetSize size, int width) {
  const FigurePlan page = sheet_pages(spec, drawn_sheet(spec, 1), size, false).front();
  const Image whole = drawn_whole(plan_rows(page, {}));
  Image small(width, static_cast<int>(static_cast<std::int64_t>(whole.height) * width / whole.width));
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      // The mean of the pixels that lie under this one.
      const int x0 = x * whole.width / small.width, x1 = std::max(x0 + 1, (x + 1) * whole.width / small.width);
      const int y0 = y * whole.height / small.height, y1 = std::max(y0 + 1, (y + 1) * whole.height / small.height);
      int r = 0, g = 0, b = 0;
      for (int v = y0; v < y1; ++v) {
        for (int u = x0; u < x1; ++u) {
          r += whole.at(u, v).r;
          g += whole.at(u, v).g;
          b += whole.at(u, v).b;
        }
      }
      const int count = (x1 - x0) * (y1 - y0);
      small.at(x, y) = {static_cast<std::uint8_t>(r / count), static_cast<std::uint8_t>(g / count),
                        static_cast<std::uint8_t>(b / count), 255};
    }
  }
  return small;
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

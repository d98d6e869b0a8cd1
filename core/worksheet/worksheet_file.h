// Worksheets as files: pages for students and teacher, and the solutions as a table.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "core/base/cancel.h"
#include "core/base/image.h"
#include "core/worksheet/worksheet_spec.h"

namespace headscope {

// PDF: all sheets, each beginning on a page of its own, then the solutions of each, on pages of their own too. The same
// spec gives the same bytes. `progress` gets the share done and may be empty. Throws UsageError as check_worksheet(),
// and Cancelled.
void write_worksheet_pdf(std::ostream& out, const WorksheetSpec& spec, SheetSize size, const CancelToken& cancel,
                         const std::function<void(double)>& progress);

// CSV with a line a blank: sheet,seed,blank,cell,value,calculation. `cell` is spelled as --cells spells it.
void write_worksheet_csv(std::ostream& out, const WorksheetSpec& spec);

// Says which letters of the words no font at hand has, so that boxes with their numbers are printed in their place, as
// a notice says it, without its full stop; "" where fonts have all of them.
std::string missing_letters_words(const WorksheetSpec& spec);

// How many pages a student gets.
int student_pages(const WorksheetSpec& spec, SheetSize size);
// The first page of the first sheet, `width` pixels wide.
Image worksheet_preview(const WorksheetSpec& spec, SheetSize size, int width);

struct WorksheetFiles {
  std::string pdf, solutions;  // paths; "": none
};
// Writes both files, or none.
void write_worksheet(const WorksheetFiles& files, const WorksheetSpec& spec, SheetSize size,
                     const CancelToken& cancel = {}, const std::function<void(double)>& progress = {});

}  // namespace headscope

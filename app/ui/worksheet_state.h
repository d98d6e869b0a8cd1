// The dialog of worksheets remembers its choices, the problem that stands in their way, and a small picture of the
// first page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/image.h"
#include "core/worksheet/worksheet_spec.h"

namespace headscope::ui {

struct WorksheetState {
  bool begun = false;         // the choices stay from one opening to the next
  std::string phrase, cells;  // as typed
  std::int64_t sheets = 1;
  WorksheetSpec spec;  // of what is typed, as far as it can be read
  SheetSize size = SheetSize::a4;
  bool solutions = true;  // the table for the teacher, beside the pages
  std::string folder, file = "worksheet.pdf";
  std::string problem, problem_option;  // why it cannot be written, and the option that it is about; "": it can
  // The picture of `previewed` on paper of `previewed_size`.
  std::optional<WorksheetSpec> previewed;
  SheetSize previewed_size = SheetSize::a4;
  Image preview;
  std::uint64_t preview_version = 0;
  int pages = 0;  // a sheet
  void add_text(std::string& all) const { all += problem; }
};

}  // namespace headscope::ui

// A sheet as pages of paper. Internal to core/worksheet.
#pragma once

#include <vector>

#include "core/picture/figure/figure_plan.h"

#include "core/worksheet/worksheet.h"
#include "core/worksheet/worksheet_spec.h"

namespace headscope {

// The sheet for a student; or, solved, with every number in its place and every calculation. Never without a page.
std::vector<FigurePlan> sheet_pages(const WorksheetSpec& spec, const HandSheet& sheet, SheetSize size, bool solved);

}  // namespace headscope

// What a report of a problem needs: Help > Report a problem, and how the program ended.
#pragma once

#include "app/frame/frame.h"

namespace headscope {

// Puts problem_report() with the driver of the current GL context on the clipboard, and a notice that says so.
void copy_problem_report(const Surface& surface, ui::UiState& state);

// From now on a crash is told of in last_crash_path(), where the next report finds it. Call it before files are mapped.
void report_crashes();

}  // namespace headscope

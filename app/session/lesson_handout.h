// A recorded lesson as something to hand out.
#pragma once

#include <functional>
#include <string>

#include "app/session/main_view.h"
#include "app/session/view_state.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/handout/handout.h"

namespace headscope {

// A view of the window is opened by its name in the menu View, or by its key.
struct ViewWay {
  MainView view = MainView::layer;
  const char *name = "", *key = "";
};
// Every main view has a row. The window's own table (app/ui/main_view_table.cpp) says the same.
const ViewWay& way_to(MainView view);

// The stops of view.lesson: of each the map of its head, and a sentence where it shows something else in the window.
// Throws Error as parse_view_state() does.
Handout handout_of(const ViewState& view, const std::string& title);

struct HandoutFile {
  std::string path;
  bool page = false;  // HTML; else a PDF
  HandoutPaper paper;
};

// Writes the file whole or not at all, and returns how many pages of paper it has; 0 of a page of HTML, which opens
// again as a session with `view`, the one that the handout was made of. Throws as write_handout_pdf() and
// handout_page(), and Error for files.
int write_handout(const HandoutFile& file, const Trace& run, const Handout& handout, const ViewState& view,
                  const CancelToken& cancel = {}, const std::function<void(double)>& progress = {});

// This sentence tells whose session has no lesson how to record one.
inline constexpr const char* kNoLesson =
    "There is no lesson yet: Ctrl+Shift+K keeps what is shown as a stop, with words that you write.";

}  // namespace headscope

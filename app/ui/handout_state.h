// The dialog of handouts remembers its choices, the problem that stands in their way, and a small picture of the first
// page.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/attention/trace.h"
#include "core/base/image.h"
#include "core/handout/handout.h"

namespace headscope::ui {

struct HandoutState {
  std::string title;          // as typed
  bool title_is_ours = true;  // true: it follows the document's name; false: the user typed one
  bool page = false;          // HTML; else a PDF
  HandoutPaper paper;
  std::string folder, file = "handout.pdf";
  std::string problem, problem_option;  // why it cannot be written, and the control that it is about; "": it can
  // `facts` and the picture belong to these; both are made anew when one of these changes.
  std::optional<Handout> shown;
  std::shared_ptr<const Trace> shown_trace;
  HandoutPaper shown_paper;
  bool shown_page = false;
  std::string shown_problem;   // why the result cannot be handed out
  std::string facts, missing;  // "4 stops on 2 pages"; letters without a font
  Image preview;
  std::uint64_t preview_version = 0;
  void add_text(std::string& all) const { all += problem + facts + missing; }
};

}  // namespace headscope::ui

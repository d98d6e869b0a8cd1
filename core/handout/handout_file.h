// Handouts as files: pages of paper, or one page for a browser.
#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/base/image.h"
#include "core/export/html_page.h"
#include "core/handout/handout.h"

namespace headscope {

// PDF: the pages of handout_pages(), pictures as shapes and words as text. Returns how many pages there are. `progress`
// gets the share done and may be empty. Throws Error "stop 3: ..." for what the result of a stop lacks, and Cancelled.
int write_handout_pdf(std::ostream& out, const Trace& run, const Handout& handout, const HandoutPaper& paper,
                      const CancelToken& cancel = {}, const std::function<void(double)>& progress = {});

// HTML: every stop with its words beside live maps of all heads of the layers that `run` has
// (core/export/stops_page.h). `run` must outlive the result. Throws as write_handout_pdf(), and UsageError for a page
// of more than 64 MB.
HtmlPage handout_page(const Trace& run, const Handout& handout, const CancelToken& cancel = {});

// Says which letters of what users typed no font at hand has, so that boxes with their numbers are printed in their
// place, as a notice says it, without its full stop; "" where fonts have all of them.
std::string letters_missing_in(const Trace& run, const Handout& handout);

// The first page of paper, `width` pixels wide. Throws as write_handout_pdf().
struct HandoutPreview {
  Image first;
  int pages = 0;
};
HandoutPreview handout_preview(const Trace& run, const Handout& handout, const HandoutPaper& paper, int width);

}  // namespace headscope

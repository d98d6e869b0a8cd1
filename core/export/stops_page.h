// One HTML page of a lesson: the words of its stops beside live maps, which every stop sets to what it shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/html_page.h"
#include "core/picture/view_spec.h"

namespace headscope {

struct PageStop {
  std::string words;             // of the teacher, UTF-8; a line feed ends a paragraph
  std::vector<std::string> own;  // sentences of our own below them; empty ones are left out
  ViewSpec view;                 // stage, batch item, head, range, colours
  std::int64_t layer = 0;
  std::int64_t query = 0, key = 0;  // the picked cell, in rows and columns as they are shown
};

struct StopsPage {
  std::string title, about;
  std::vector<PageStop> stops;  // at least one
};

// A page as html_page() writes it, with the stops at its left; the first one is shown when it opens. It holds every
// head of every computed layer of each stage that a stop shows, each stage once. What users typed is text and nothing
// else, for the page as for its script. `run` must outlive the result. UsageError as html_page() throws it.
HtmlPage stops_page(const Trace& run, const StopsPage& lesson, const CancelToken& cancel = {});

}  // namespace headscope

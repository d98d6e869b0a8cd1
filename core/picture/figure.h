// A whole picture for export: title, labels, heatmaps, colour bar. Drawn without a window.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "core/attention/trace.h"
#include "core/cancel.h"
#include "core/picture/image.h"
#include "core/picture/picture_rows.h"
#include "core/picture/view_spec.h"

namespace headscope {

// Lays the figure out and draws it. Throws UsageError when the view asks for what the trace does not have (a head
// beyond num_heads, a stage that this request lacks) or when the picture would exceed 16384 x 16384 pixels.
Image draw_figure(const Trace& trace, const ViewSpec& view, const CancelToken& cancel = {});

// The same picture row by row, for files: the layout is done here, with what it needs to read (ranges, summaries).
// Of the trace only its tensors are kept. load() and draw() throw Cancelled.
PictureRows figure_rows(const Trace& trace, const ViewSpec& view, const CancelToken& cancel = {});

// The same picture as an SVG 1.1 document of the same size, laid out here and written by write(): shapes as shapes,
// words as words (with a list of fonts), cells as rectangles, equal neighbours of a row as one. A picture of more than
// 40,000 cells, or with several cells a pixel, has its maps as PNG images inside and says so in its description.
// `recipe` goes into its metadata. write() throws Cancelled.
struct FigureSvg {
  int width = 0, height = 0;
  std::function<void(std::ostream& out, const std::map<std::string, std::string>& recipe,
                     const std::function<void(double)>& progress)>
      write;
};
FigureSvg figure_svg(const Trace& trace, const ViewSpec& view, const CancelToken& cancel = {});

// Width and height in pixels of what draw_figure makes, without drawing.
struct FigureSize {
  int width = 0, height = 0;
};
FigureSize figure_size(const Trace& trace, const ViewSpec& view);

// The mask that pictures of this stage are drawn with, or null: stages before the mask show all their scores. Rows that
// are hidden completely and still got weights (a finite --mask-fill, --fully-masked uniform) show them.
std::shared_ptr<const Mask> shown_mask(const Trace& trace, StageId stage);

// The recipe chunks of its PNG: {"headscope": session JSON with the view and "sha256", "headscope-sha256": of the
// weights}; without weights (attention alone) no sha256. Opening the JSON gives the request and this view back.
std::map<std::string, std::string> recipe_of(const Trace& trace, const ViewSpec& view);

}  // namespace headscope

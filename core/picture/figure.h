// A whole picture for export: title, labels, heatmaps, colour bar. Drawn without a window.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/base/image.h"
#include "core/io/picture_rows.h"
#include "core/picture/view_spec.h"

namespace headscope {

// What a figure is of: a result and, for ViewKind::difference, the other one, A, that it is subtracted from as B.
struct FigureSource {
  FigureSource(const Trace& of, const Trace* other = nullptr) : trace(of), against(other) {}
  const Trace& trace;
  const Trace* against;
};

// Lays the figure out and draws it. Throws UsageError when the view asks for what the trace does not have (a head
// beyond num_heads, a stage that this request lacks, a difference from nothing or of other shapes) or when the picture
// would exceed 16384 x 16384 pixels.
Image draw_figure(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

// The same picture row by row, for files: the layout is done here, with what it needs to read (ranges, summaries).
// Of the trace only its tensors are kept. load() and draw() throw Cancelled.
PictureRows figure_rows(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

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
FigureSvg figure_svg(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

// Width and height in pixels of what draw_figure makes, without drawing. Throws what it throws.
struct FigureSize {
  int width = 0, height = 0;
};
FigureSize figure_size(const FigureSource& source, const ViewSpec& view);

// The derivatives that ViewKind::sensitivity shows, [query_len, key_len]: of the cell view.at of view.stage by the
// scores or weights of view.head. `largest`, when given, gets the largest |derivative| of all heads. Throws UsageError
// and Cancelled.
Tensor sensitivity_matrix(const Trace& trace, const ViewSpec& view, const CancelToken& cancel,
                          double* largest = nullptr);

}  // namespace headscope

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
#include "core/picture/figure/figure_source.h"
#include "core/picture/view_spec.h"

namespace headscope {

// Lays the figure out and draws it. Throws UsageError when the view names something that the trace does not have (a
// head beyond num_heads, a stage that this request lacks, a difference without another result or with other shapes) or
// when the picture would exceed 16384 x 16384 pixels.
Image draw_figure(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

// The same picture row by row, for files. The layout is done here; it reads the values that it needs for ranges and
// summaries. The result keeps only tensors of the trace alive. load() and draw() throw Cancelled.
PictureRows figure_rows(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

// The same picture as an SVG 1.1 document of the same size, laid out here and written by write(): shapes as shapes,
// words as text (with a list of fonts), cells as rectangles, equal neighbours in a row as one. A picture of more than
// 40,000 cells, or with several cells a pixel, has its maps as PNG images inside and says so in its description.
// `recipe` goes into its metadata. write() throws Cancelled.
struct FigureDocument {
  int width = 0, height = 0;
  std::function<void(std::ostream& out, const std::map<std::string, std::string>& recipe,
                     const std::function<void(double)>& progress)>
      write;
};
FigureDocument figure_svg(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

// The same as a PDF of one page: shapes as shapes, words as text in embedded fonts of which only the glyphs in use are
// taken, cells as rectangles or, where an SVG has images, as images without smoothing.
FigureDocument figure_pdf(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

// Width and height in pixels of the image of draw_figure, without drawing. Throws as draw_figure.
struct FigureSize {
  int width = 0, height = 0;
};
FigureSize figure_size(const FigureSource& source, const ViewSpec& view);

// Whether the view draws weights as the request says that they are shown: pieces of words as one, columns hidden. Other
// views are of the numbers that were computed.
bool draws_shown_weights(const ViewSpec& view);

// The derivatives that ViewKind::sensitivity shows, [query_len, key_len]: of the cell view.at of view.stage with
// respect to the scores or weights of view.head. `largest`, unless null, gets the largest |derivative| of all heads.
// Throws UsageError and Cancelled.
Tensor sensitivity_matrix(const Trace& trace, const ViewSpec& view, const CancelToken& cancel,
                          double* largest = nullptr);

}  // namespace headscope

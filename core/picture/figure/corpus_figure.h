// The heads of a scan as a picture: all of them as points of a plane and as a grid, one with its histograms.
#pragma once

#include "core/base/cancel.h"
#include "core/io/picture_rows.h"
#include "core/picture/figure/corpus_contents.h"
#include "core/picture/figure/figure.h"
#include "core/picture/view_spec.h"

namespace headscope {

// Drawn row by row, as SVG and as PDF, as figure_rows(), figure_svg() and figure_pdf() draw a FigureSource with
// `corpus`: theme, scale, colour map and paper are the view's. UsageError for a scale that is not from 0.25 to 8, and
// for a picture larger than 16384 x 16384 pixels.
PictureRows corpus_rows(const CorpusFigure& figure, const ViewSpec& view = {}, const CancelToken& cancel = {});
FigureDocument corpus_svg(const CorpusFigure& figure, const ViewSpec& view = {}, const CancelToken& cancel = {});
FigureDocument corpus_pdf(const CorpusFigure& figure, const ViewSpec& view = {}, const CancelToken& cancel = {});

}  // namespace headscope

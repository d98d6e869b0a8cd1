// The heads of a scan as a picture: all of them as points of a plane and as a grid, one with its histograms.
#pragma once

#include "core/base/cancel.h"
#include "core/io/picture_rows.h"
#include "core/picture/figure/corpus_contents.h"
#include "core/picture/figure/figure.h"

namespace headscope {

// Drawn row by row, as SVG and as PDF, as figure_rows(), figure_svg() and figure_pdf() draw. UsageError for a scale
// beyond these, and for a picture larger than 16384 x 16384 pixels.
PictureRows corpus_rows(const CorpusFigure& figure, const CancelToken& cancel = {});
FigureDocument corpus_svg(const CorpusFigure& figure, const CancelToken& cancel = {});
FigureDocument corpus_pdf(const CorpusFigure& figure, const CancelToken& cancel = {});

}  // namespace headscope

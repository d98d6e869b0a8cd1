// What a figure for a paper is in pixels.
#pragma once

#include "core/picture/view_spec.h"

namespace headscope {

// Whether the view is laid out for paper: narrow margins, keys below the maps, the caption under the picture. A width
// with a unit, a font size, or key labels of heads ask for it.
bool is_for_paper(const ViewSpec& view);

// The view with its width and scale in pixels, and with the theme that its ground asks for. A view that is not for
// paper keeps its own.
ViewSpec in_pixels(ViewSpec view);

// Pixels an inch that the file states; 0 when it states none.
double pixels_per_inch(const ViewSpec& view);

}  // namespace headscope

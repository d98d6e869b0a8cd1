#include "core/picture/paper.h"

#include <cmath>

#include "core/picture/palette.h"

namespace headscope {

namespace {

constexpr double kPointsAnInch = 72;
constexpr double kAxisUnits = 11;  // the size of axis labels in units of the layout

}  // namespace

bool is_for_paper(const ViewSpec& view) {
  // Only heads have maps below each other, whose keys could be left out.
  const bool by_keys = view.paper.key_labels && view.view == ViewKind::heads;
  return view.paper.width || view.paper.font_size || by_keys;
}

ViewSpec in_pixels(ViewSpec view) {
  if (view.paper.ground == Ground::white) view.theme = Theme::light;
  if (!is_for_paper(view)) return view;
  const double dpi = pixels_per_inch(view);
  if (view.paper.width || !view.width) {
    const PaperLength width = view.paper.width.value_or(PaperLength{kPageWidth, LengthUnit::mm});
    view.width = static_cast<int>(std::lround(inches_of(width) * dpi));
  }
  view.scale = view.paper.font_size.value_or(kPaperFont) / kPointsAnInch * dpi / kAxisUnits;
  return view;
}

double pixels_per_inch(const ViewSpec& view) {
  return view.paper.dpi.value_or(is_for_paper(view) ? kPaperDpi : 0);
}

}  // namespace headscope

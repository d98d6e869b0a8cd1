// The recipe inside an exported picture.
#pragma once

#include <map>
#include <string>

#include "core/picture/figure/figure.h"

namespace headscope {

// The recipe chunks of the PNG of a figure: {"headscope": session JSON with the view and "sha256", "headscope-sha256":
// of the weights}; without weights (attention alone) no sha256. A difference and a sweep have the request of A at
// "against". A session file with this JSON restores the request and this view. `window` as for session_json().
std::map<std::string, std::string> recipe_of(const FigureSource& source, const ViewSpec& view,
                                             const std::string& window = "");

}  // namespace headscope

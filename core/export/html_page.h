// One HTML page with the maps of every head as numbers: opens in any browser, without a network.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>

#include "core/base/cancel.h"
#include "core/picture/figure/figure_source.h"
#include "core/picture/view_spec.h"

namespace headscope {

// The page holds `view.stage`, a stage [batch, heads, query_len, key_len], of batch item view.batch: the heads of
// view.heads_shown in every layer of the trace's model that was computed, or in the one layer. Every value is its
// float32; cells that the mask hides are marked. The page shows the number of a cell on mouse move and keyboard focus,
// layers by a list, a head as a map or as arcs, in the theme and the colours of `view`. Its policy of contents allows
// its own style and script, by their SHA-256, and nothing else. What view says of pixels has no effect: --cell,
// --width, --labels and the options of paper.
struct HtmlPage {
  std::uint64_t bytes = 0;  // about
  // `recipe` as for FigureDocument::write; it is inside, so that the page opens in Headscope. Throws Cancelled.
  std::function<void(std::ostream& out, const std::map<std::string, std::string>& recipe,
                     const std::function<void(double)>& progress)>
      write;
};

// Throws the UsageError of a view that no page has: not heads, head, layers or arcs.
void check_page_view(ViewKind kind);

// `source` must outlive the result. Throws UsageError for a view that is not heads, head, layers or arcs, for stages of
// other axes, heads and batch items that are not there, --range fit, and for pages of more than 64 MB, with the number
// of tokens that would fit.
HtmlPage html_page(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel = {});

}  // namespace headscope

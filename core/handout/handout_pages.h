// A handout as pages of paper. Internal to core/handout.
#pragma once

#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/handout/handout.h"
#include "core/picture/figure/figure_plan.h"

namespace headscope {

// The pages: title, model and phrase, then every stop with its number, its words and its map. With two stops a page
// words stand beside the map; a stop whose words or map need more room has pages of its own, where the words stand
// above. Never without a page. Error "stop 3: ..." for what the result of a stop lacks; Cancelled.
std::vector<FigurePlan> handout_pages(const Trace& run, const Handout& handout, const HandoutPaper& paper,
                                      const CancelToken& cancel = {});

}  // namespace headscope

// Finds the stages that a change affects, from the table stage_infos(), which lists what each stage is made from.
#pragma once

#include <vector>

#include "core/request/request.h"
#include "core/request/stage_info.h"

namespace headscope {

// The stages that are made from `changed` sources, or of `also`, or from options or variants in which the two requests
// differ, and all stages that are computed from these; in the order of StageId. All stages where they differ in an
// option or a variant that does not say what it changes (rows_apart.h). Empty when nothing changes. Batch and lengths
// need no source of their own: they change with the sources that have them.
std::vector<StageId> changed_stages(const Request& before, const Request& now, const std::vector<Source>& changed,
                                    const std::vector<StageId>& also = {});

}  // namespace headscope

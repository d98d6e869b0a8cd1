// Which stages a change reaches, by what stage_infos() says of how every stage is made.
#pragma once

#include <vector>

#include "core/request/request.h"
#include "core/request/stage_info.h"

namespace headscope {

// The stages of `changed` sources and of the options and variants in which two requests differ, and all that they feed,
// in the order of StageId. Batch and lengths follow from the sources.
std::vector<StageId> changed_stages(const Request& before, const Request& now, const std::vector<Source>& changed);

}  // namespace headscope

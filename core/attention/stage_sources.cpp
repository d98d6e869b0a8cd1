#include "core/attention/stage_sources.h"

#include <algorithm>

#include "core/request/stage_info.h"

namespace headscope {

std::vector<StageId> feeding_stages(const Trace& trace, StageId stage) {
  std::vector<StageId> sources;
  for (const std::vector<StageId>& alternatives : stage_info(stage).made.from) {
    const auto found =
        std::find_if(alternatives.begin(), alternatives.end(), [&](StageId id) { return trace.find(id) != nullptr; });
    if (found != alternatives.end()) sources.push_back(*found);
  }
  return sources;
}

}  // namespace headscope

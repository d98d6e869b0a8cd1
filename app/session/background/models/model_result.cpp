#include "app/session/background/models/model_result.h"

#include <algorithm>

namespace headscope {

const ModelResult::AloneResult* ModelResult::alone_of(const std::string& term) const {
  const auto found =
      std::find_if(alone.begin(), alone.end(), [&](const AloneResult& result) { return result.term == term; });
  return found == alone.end() ? nullptr : &*found;
}

}  // namespace headscope

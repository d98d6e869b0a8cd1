// What the tests of all options on all views try.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/picture/view_spec.h"

namespace headscope {

using Options = std::vector<std::pair<std::string, std::string>>;

// What a picture of the view needs to be drawn at all.
inline Options needed(ViewKind kind) {
  switch (kind) {
    case ViewKind::sensitivity:
    case ViewKind::explanation:
      return {{"at", "0,0,4,1"}};
    case ViewKind::attribution:
      return {{"at", "4"}, {"token", "ink"}};
    case ViewKind::score:
      return {{"at", "5,1"}};
    case ViewKind::sweep:
      return {{"metric", "logit:ink-box"}};
    default:
      return {};
  }
}

// Values to try, none of them the default.
inline const std::map<std::string, std::vector<std::string>>& tried_values() {
  static const std::map<std::string, std::vector<std::string>> texts = {
      {"stage", {"raw_scores", "query", "concat", "output"}},
      {"head", {"3"}},
      {"colormap", {"gray", "magma"}},
      {"range", {"0,0.2", "row", "fit"}},
      {"log", {"on"}},
      {"cell", {"9"}},
      {"labels", {"off"}},
      {"theme", {"light", "contrast"}},
      {"width", {"1200", "150mm"}},
      {"token", {"2", "fox"}},
      {"heads-shown", {"1,2"}},
      {"hide-below", {"0.5"}},
      {"sentences", {"a-a"}},
      {"aggregate", {"mean", "max", "rollout", "flow"}},
      {"at", {"3", "0,0,3,2", "4,2"}},
      {"by", {"weights", "scores", "components", "heads", "sources", "query", "key", "value"}},
      {"along", {"column"}},
      {"combine", {"mean"}},
      {"dpi", {"200"}},
      {"font-size", {"7"}},
      {"background", {"white", "transparent"}},
      {"caption", {"off"}},
      {"recipe-line", {"off"}},
      {"key-labels", {"outer"}},
      {"loss", {"on"}},
      {"metric", {"prob:box", "loss", "kl", "recovered"}},
      {"direction", {"noise"}},
      {"ablation", {"zero", "mean"}},
      {"from", {"0:0"}},
      {"into", {"1:0"}},
      {"lens-of", {"attention", "heads"}}};
  return texts;
}

}  // namespace headscope

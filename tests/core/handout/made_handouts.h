// Handouts of small results, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/handout/handout.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {

inline HandoutStop made_stop(std::string words, std::int64_t head = 0, std::optional<StopCell> cell = std::nullopt) {
  HandoutStop stop;
  stop.words = std::move(words);
  stop.view.view = ViewKind::head;
  stop.view.theme = Theme::light;
  stop.view.head = head;
  stop.cell = cell;
  return stop;
}

inline Handout four_stops() {
  Handout handout{"Who looks where", {}};
  handout.stops = {made_stop("The picked word looks back.", 0, StopCell{3, 1}),
                   made_stop("A head without a picked cell.", 1), made_stop("", 2, StopCell{4, -1}),
                   made_stop("القطة جلست. 注意力看哪里？", 3, StopCell{2, 2})};
  handout.stops[1].view.stage = StageId::scores;
  return handout;
}

// Of as many words as asked for.
inline std::string many_words(int count) {
  std::string words;
  for (int k = 0; k < count; ++k) words += (k == 0 ? "" : " ") + std::string("word") + std::to_string(k);
  return words;
}

}  // namespace headscope

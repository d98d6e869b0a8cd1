// A lesson as something to hand out: its stops, each of them words and the map of a head.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/picture/view_spec.h"
#include "core/worksheet/worksheet_spec.h"

namespace headscope {

// A query and a key by their positions. A key of -1 is the one of the largest value of the query's row.
struct StopCell {
  std::int64_t query = 0, key = -1;
  friend bool operator==(const StopCell&, const StopCell&) = default;
};

struct HandoutStop {
  std::string words;             // of the teacher, UTF-8; "": none
  std::string elsewhere;         // says what the stop shows in the window beside this map; "": nothing
  ViewSpec view;                 // of the map: stage, batch item, head, range, colours
  std::int64_t layer = -1;       // -1: that of the request
  std::optional<StopCell> cell;  // picked
  friend bool operator==(const HandoutStop&, const HandoutStop&) = default;
};

struct Handout {
  std::string title;  // UTF-8
  std::vector<HandoutStop> stops;
  friend bool operator==(const Handout&, const Handout&) = default;
};

struct HandoutPaper {
  SheetSize size = SheetSize::a4;
  int stops_per_page = 2;  // at most: 1 or 2
  friend bool operator==(const HandoutPaper&, const HandoutPaper&) = default;
};

// Whether some stop is of another layer than the request, so that the model must be computed whole.
inline bool needs_other_layers(const Handout& handout, std::int64_t layer) {
  for (const HandoutStop& stop : handout.stops) {
    if (stop.layer >= 0 && stop.layer != layer) return true;
  }
  return false;
}

}  // namespace headscope

// The curves of the view 'arcs': what decides where each lies, and how they are drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/heads/arcs.h"
#include "core/heads/arcs.h"
#include "core/heads/sentences.h"

namespace headscope::ui {

struct ArcsDrawing {
  PanelData& data;
  ArcsFocus focus;
  std::vector<std::int64_t> heads;
  ArcRegion region;
  std::int64_t queries = 0, keys = 0;
  bool computed = true;       // rows and keys are tokens of the trace, which can be chosen
  Rect area;                  // of the rows, as far as it is seen
  float left = 0, right = 0;  // ends of the arcs
  float pitch = 0, offset = 0;
  int most_parts = 8;  // straight pieces of a curve

  // The y of a token, at either side.
  float middle(std::int64_t token) const { return area.min.y - offset + (static_cast<float>(token) + 0.5f) * pitch; }
};

// Which arcs are wanted: of the shown heads and sentences, from the least weight on.
ArcRequest request_of(const Ui& ui, const ArcsDrawing& drawing);

// Draws them, weak ones first. Those of the token under the mouse, else of the chosen query, are bright and come whole,
// also where the others are cut to the strongest.
void draw_arcs(Ui& ui, ArcsDrawing& drawing);

}  // namespace headscope::ui

// One head large: all heads in a row above it, and beside it in words what it looks at and what the model goes on with.
#pragma once

#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Where its parts lie: as in Layout.
struct OneHeadPlaces {
  Rect strip, large, words;
  bool names_only = false;  // the row has no maps
  bool with_stages = false;
};

// one_head.cpp
void draw_one_head(Ui& ui, const OneHeadPlaces& places);

// ---- its parts
// head_strip.cpp: all heads, each as a small map with its habit below, or as its name alone; those that have room, with
// buttons to the others.
void draw_head_strip(Ui& ui, PanelData& data, const Rect& area, bool names_only);

// head_bars.cpp: the largest weights of the picked row, and the predictions with and without the head. Where the model
// predicts nothing the weights have the room.
void draw_head_bars(Ui& ui, PanelData& data, const Rect& area);

}  // namespace headscope::ui

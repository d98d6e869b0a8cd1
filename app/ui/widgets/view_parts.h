// What main views have in common: one sentence in the place of a picture, and a picture with its detail.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

// Why there is no picture yet, or at all. `view` is the word of the view, and begins the name in the probe:
// "sweep/sentence: Computing …". Options in it are named as their controls are.
void view_sentence(Ui& ui, const std::string& view, const Rect& area, Rgba color, const std::string& sentence);

// Whether two parts of `area` have more room beside each other than one below the other, however narrow they are.
bool has_low_halves(Ui& ui, const Rect& area);

// The detail lies at the right of the picture where there is room, or where neither has any below the other; else below
// it.
struct DetailSize {
  float share = 0.4f;                   // of the width; below, the detail has half of the height
  float narrowest = 320, widest = 520;  // at 1x
  float beside_from = 820;              // the least width, at 1x, of a place with both beside each other
};
// Takes the detail's place from `area`, which the picture keeps, and draws the line between them.
Rect take_detail(Ui& ui, Rect& area, const DetailSize& size);

// Draws rows of a list below each other, each `height` pixels high, with a scroll bar named `name` where they do not
// fit; of `count` only those in sight.
void draw_scrolled_rows(Ui& ui, const std::string& name, const Rect& list, std::size_t count, float height,
                        const std::function<void(std::size_t at, const Rect& line)>& draw);

}  // namespace headscope::ui

// What every attention weight of every head does to one number of the prediction.
#pragma once

#include <memory>

#include "app/session/background/weight_gradient_work.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kGradientsGrid = "gradients/grid";  // the control that has a map a head

// What the panel remembers.
struct GradientsPanelState {
  std::shared_ptr<const Gradients::Result> last;  // shown until a newer one is known
};

// What is shown in this frame.
struct GradientsShown {
  const WeightGradients& found;
  const GradientsQuery& query;
  std::int64_t layer = 0, head = 0;  // picked
  double largest = 0;                // |gradient x weight| of all heads
  bool own_range = false;

  const HeadWeightGradients& strongest() const;  // by its sum of absolute values
  // Where the colours of a head end, above 0.
  double end_of(const HeadWeightGradients& of_head) const;
  const HeadWeightGradients& of(std::int64_t layer_index, std::int64_t head_index) const;
  const HeadWeightGradients& picked() const { return of(layer, head); }
};

// gradients_grid.cpp: a map a head, a row a layer, and what they are.
void draw_gradients_grid(Ui& ui, const GradientsShown& shown, const Rect& area);

// gradients_detail.cpp: the picked head's map, and the arithmetic of its cells.
void draw_gradients_detail(Ui& ui, const GradientsShown& shown, const Rect& area);

void draw_gradients_panel(Ui& ui, const Rect& area);

// Two numbers for every weight of a model, which nobody sees any more.
void let_gradients_go(Ui& ui);

}  // namespace headscope::ui

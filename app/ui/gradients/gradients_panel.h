// What every attention weight of every head does to one number of the prediction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
// "logit of 'book', at 16 ␣green": the number that is derived, and where.
std::string gradient_metric_words(const GradientsShown& shown);

// gradients_rows.cpp: a row a head, a column a word; each cell is the sum over the words at its other end.
void draw_gradients_rows(Ui& ui, const GradientsShown& shown, const Rect& area);

// gradients_looks.cpp: the heads whose single looks do most, as bars, as many as there is room for.
void draw_strongest_looks(Ui& ui, const GradientsShown& shown, const Rect& area);
// A token as a word: without the blank that belongs to it.
std::string gradient_word(const std::vector<std::string>& names, std::int64_t at);
// "a at had", "a at itself": the largest product of a head.
std::string gradient_look_words(const GradientsShown& shown, const HeadWeightGradients& look);

// gradients_detail.cpp: the picked head's map, and the arithmetic of its cells.
void draw_gradients_detail(Ui& ui, const GradientsShown& shown, const Rect& area);

void draw_gradients_panel(Ui& ui, const Rect& area);

// Two numbers for every weight of a model, which nobody sees any more.
void let_gradients_go(Ui& ui);

}  // namespace headscope::ui

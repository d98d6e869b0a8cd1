// The controls that choose one number of a model's prediction.
#pragma once

#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct MetricControls {
  std::string name;  // of the controls: "sweep" names "sweep/measure", "sweep/tokens" and "sweep/number"
  std::vector<std::string> measures;  // the first of SweepMeasure, in its order
  const char* tip;
};

// Cuts its place off the left side of `line`. `number` is the place of a number, where one can be measured.
void draw_metric(Ui& ui, Rect& line, const MetricControls& controls, SweepMeasure& measure, std::string& tokens,
                 std::string* number = nullptr);

}  // namespace headscope::ui

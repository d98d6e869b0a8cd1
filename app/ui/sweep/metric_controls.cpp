#include "app/ui/sweep/metric_controls.h"

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

bool takes_tokens(SweepMeasure measure) {
  return measure == SweepMeasure::logit || measure == SweepMeasure::probability;
}

}  // namespace

void draw_metric(Ui& ui, Rect& line, const MetricControls& controls, SweepMeasure& measure, std::string& tokens) {
  text_in(ui, take_left(line, ui.px(58), ui.px(6)), Type::words12, ui.colors.text2, "measure");
  int index = static_cast<int>(measure);
  if (combo(ui, controls.name + "/measure", take_left(line, ui.px(176), ui.px(8)), controls.measures, index,
            {{true, false, controls.tip}})) {
    measure = static_cast<SweepMeasure>(index);
  }
  if (!takes_tokens(measure)) return;
  const float width = std::min(ui.px(220), line.width());
  text_field(ui, controls.name + "/tokens", take_left(line, width, ui.px(8)), tokens,
             measure == SweepMeasure::logit ? "a token, or two: tired-wide" : "a token",
             {true, false, "As the vocabulary spells it, or its id. Of two the second is taken from the first."});
}

}  // namespace headscope::ui

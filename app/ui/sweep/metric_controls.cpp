#include "app/ui/sweep/metric_controls.h"

#include <algorithm>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/sweep/measured_cell.h"

namespace headscope::ui {
namespace {

bool takes_tokens(SweepMeasure measure) {
  return measure == SweepMeasure::logit || measure == SweepMeasure::probability;
}

// The picked cell of the stage in view; without one, what the last query of the selected head gives to its first key.
std::string picked_number(const Ui& ui) {
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr) return "";
  const ViewState& view = ui.session.view;
  MeasuredCell cell{trace->model->layer, view.stage, {}};
  const Stage* stage = view.cell ? trace->find(view.stage) : nullptr;
  Cell place = view.cell.value_or(Cell{});
  if (stage == nullptr || place.row < 0 || place.column < 0) {
    cell.stage = StageId::weights;
    stage = trace->find(StageId::weights);
    place = {trace->query_len() - 1, 0};
  }
  if (stage == nullptr) return "";
  cell.index.push_back(view.batch);
  if (stage->tensor.rank() == 4) cell.index.push_back(view.head);
  cell.index.push_back(place.row);
  cell.index.push_back(place.column);
  return has_cell(*trace->model, cell) ? measured_cell_text(cell) : "";
}

void draw_number_field(Ui& ui, Rect& line, const std::string& name, std::string& number) {
  if (number.empty()) number = picked_number(ui);
  text_field(
      ui, name + "/number", take_left(line, std::min(ui.px(200), line.width()), ui.px(8)), number, "1/weights:0,7,5,1",
      {true, false, "Layer/stage: batch, head, row and column, or batch, row and column where a stage has no heads."});
  if (line.width() < ui.px(90)) return;
  if (button(ui, name + "/picked", take_left(line, ui.px(90), ui.px(8)), "Picked cell",
             {true, false, "The cell that is picked in the stage in view."})) {
    number = picked_number(ui);
  }
}

}  // namespace

void draw_metric(Ui& ui, Rect& line, const MetricControls& controls, SweepMeasure& measure, std::string& tokens,
                 std::string* number) {
  text_in(ui, take_left(line, ui.px(58), ui.px(6)), Type::words12, ui.colors.text2, "measure");
  int index = static_cast<int>(measure);
  if (combo(ui, controls.name + "/measure", take_left(line, ui.px(176), ui.px(8)), controls.measures, index,
            {{true, false, controls.tip}})) {
    measure = static_cast<SweepMeasure>(index);
  }
  if (measure == SweepMeasure::cell && number != nullptr) draw_number_field(ui, line, controls.name, *number);
  if (!takes_tokens(measure)) return;
  const float width = std::min(ui.px(220), line.width());
  text_field(ui, controls.name + "/tokens", take_left(line, width, ui.px(8)), tokens,
             measure == SweepMeasure::logit ? "a token, or two: tired-wide" : "a token",
             {true, false, "As the vocabulary spells it, or its id. Of two the second is taken from the first."});
}

}  // namespace headscope::ui

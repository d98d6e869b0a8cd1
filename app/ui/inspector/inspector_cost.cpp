#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/panel_states.h"
#include "app/ui/unfolded_rows.h"
#include "app/ui/widgets/widgets.h"
#include "core/cost/cost_words.h"
#include "core/cost/layer_cost.h"
#include "core/request/stage.h"

namespace headscope::ui {
namespace {

constexpr const char* kFold = "inspector/cost";
constexpr const char* kTip =
    "What this stage takes: multiply-adds and bytes by formula, here and of a text that is twice as long.";
constexpr float kCostTitle = 32, kCostRow = 18, kBelow = 8, kNames = 128;
constexpr const char* kFree =
    "This stage takes nothing: it is given, shows the numbers of another, or equals the one before.";
constexpr const char* kHow =
    "Each stage is counted as if it ran alone; cells that a mask hides are counted, too. headscope-cli run --cost "
    "measures what limits it on this machine.";

// The costs of the shown trace, counted once.
struct CountedCost {
  std::weak_ptr<const Trace> of;
  bool known = false;  // something can be counted
  LayerCost cost;
};

// Null: nothing can be counted, as of a capture.
const LayerCost* cost_of(Ui& ui, const Inspected& inspected) {
  CountedCost& counted = ui.state.panels.get<CountedCost>();
  const std::shared_ptr<const Trace>& trace = inspected.data.shared_trace();
  const bool same = !counted.of.owner_before(trace) && !trace.owner_before(counted.of);
  if (!same) {
    counted.of = trace;
    counted.known = no_cost_sentence(*trace).empty();
    if (counted.known) counted.cost = layer_cost(*trace);
  }
  return counted.known ? &counted.cost : nullptr;
}

bool is_open(Ui& ui) {
  return ui.state.panels.get<UnfoldedRows>().open[kFold];
}

// "65,536 multiply-adds · 24.6 KB"
std::string fact_of(const StageCost* stage) {
  if (stage == nullptr || !stage->now.any()) return "nothing";
  std::string fact;
  if (stage->now.multiply_adds > 0) fact = cost_count_text(stage->now.multiply_adds) + " multiply-adds · ";
  return fact + cost_bytes_text(stage->now.bytes());
}

// Goes down the lines of the open card, and draws them where it is told to.
struct Lines {
  Ui& ui;
  Rect area;
  float y = 0;
  bool draws = false;

  void paragraph(Type type, const std::string& words) {
    const float height = std::ceil(paragraph_height(ui, type, words, area.width()));
    if (draws) ui::paragraph(ui, {{area.min.x, y}, {area.max.x, y + height}}, type, ui.colors.text3, words);
    y += height;
  }
  // A name, and two numbers at the right.
  void line(const std::string& name, const std::string& here, const std::string& twice, bool heading) {
    Rect rest = row(area, y, ui.px(kCostRow));
    if (!draws) return;
    const Type type = heading ? Type::words11 : Type::mono12;
    const Rgba ink = heading ? ui.colors.text3 : ui.colors.text;
    const float column = std::floor((rest.width() - ui.px(kNames)) / 2);
    text_in(ui, take_right(rest, column, 0), type, ink, twice, 1);
    text_in(ui, take_right(rest, column, 0), type, ink, here, 1);
    text_in(ui, rest, heading ? Type::mono11 : Type::words11, heading ? ui.colors.text : ui.colors.text2, name);
  }
  void counts(const std::string& name, const std::vector<CostLine>& all, bool formulas) {
    line(name, "here", "twice as long", true);
    for (const CostLine& each : all) {
      line(each.name, each.here, each.twice, false);
      if (formulas) paragraph(Type::mono11, each.formula);
    }
    y += ui.px(6);
  }
};

// The height of what is below the title, which is drawn in `area` where `draws`.
float write_body(Ui& ui, const Inspected& inspected, const LayerCost& cost, const Rect& area, bool draws) {
  Lines lines{ui, area, area.min.y, draws};
  const StageCost* stage = cost.find(inspected.stage);
  if (stage != nullptr && stage->now.any()) {
    lines.counts(std::string(stage_name(inspected.stage)), cost_lines(stage->formulas, stage->now, stage->twice), true);
  } else {
    lines.paragraph(Type::words11, kFree);
    lines.y += ui.px(6);
  }
  lines.counts("whole layer", cost_lines(cost.formulas, cost.now, cost.twice), false);
  lines.paragraph(Type::words11, kHow);
  return lines.y - area.min.y;
}

// The line that folds the card.
void draw_title(Ui& ui, const Rect& place, const std::string& fact) {
  bool& open = ui.state.panels.get<UnfoldedRows>().open[kFold];
  const Interaction it = interact(ui, kFold, place, {true, false, kTip});
  if (it.clicked) {
    open = !open;
    ui.state.wants_frame = true;
  }
  const Rgba ink = it.hovered ? ui.colors.text : ui.colors.text3;
  const ImVec2 middle{place.min.x + ui.px(4), std::round(place.center().y)};
  draw_icon(ui, open ? Icon::chevron_down : Icon::chevron_right, middle, ui.px(8), ink);
  section_title(ui, {{place.min.x + ui.px(14), place.min.y}, place.max}, "Cost", fact);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(2)), ui.px(size::radius_control));
}

}  // namespace

float cost_height(Ui& ui, const Inspected& inspected, float width) {
  const LayerCost* cost = cost_of(ui, inspected);
  if (cost == nullptr) return 0;
  if (!is_open(ui)) return ui.px(kCostTitle);
  return ui.px(kCostTitle) + write_body(ui, inspected, *cost, {{0, 0}, {width, 0}}, false) + ui.px(kBelow);
}

void draw_cost(Ui& ui, const Inspected& inspected, const Rect& area) {
  const LayerCost* cost = cost_of(ui, inspected);
  if (cost == nullptr) return;
  const bool open = is_open(ui);
  draw_title(ui, {area.min, {area.max.x, area.min.y + ui.px(kCostTitle)}}, fact_of(cost->find(inspected.stage)));
  if (!open) return;
  const Rect body{{area.min.x, area.min.y + ui.px(kCostTitle)}, area.max};
  ui.mark("inspector/cost/body", body);
  write_body(ui, inspected, *cost, body, true);
}

}  // namespace headscope::ui

// The lines above the picture: what it shows, its buttons, and which slice of the tensor it is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/collapse.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kExpandTip = "The inspector takes the place of the heads.";
constexpr const char* kShrinkTip = "Brings the heads back (Esc).";
constexpr const char* kCopyTip = "Copy this matrix: rows of numbers with tabs between, for a spreadsheet or numpy.";

}  // namespace

std::string inspected_title(const Inspected& inspected) {
  const bool per_head = inspected.data.trace().tensor(inspected.stage).rank() == 4;
  if (!per_head) return std::string(stage_name(inspected.stage));
  return fmt::format(
      "Head {}", inspected.slices == inspected.data.trace().num_heads() ? inspected.slice : inspected.selection.head);
}

std::string inspected_fact(const Inspected& inspected) {
  const Trace& trace = inspected.data.trace();
  const Tensor& tensor = trace.tensor(inspected.stage);
  const std::string demand =
      inspected.data.is_large(inspected.stage) && !tensor.stored() ? " · computed on demand" : "";
  if (tensor.rank() != 4) return to_string(tensor.shape()) + demand;
  const std::string name(stage_name(inspected.stage));
  if (inspected.score_like) {
    const HeadSummary* summary = inspected.data.summary(inspected.batch, inspected.slice);
    if (summary == nullptr) return name + demand;
    const double entropy = summary->entropy_bits;
    return name + " · entropy " + (std::isnan(entropy) ? "nan" : number_label(entropy, 2) + " bit");
  }
  if (inspected.slices != trace.num_heads()) return fmt::format("{} · kv head {}", name, inspected.slice);
  return name + " " + to_string(tensor.shape()) + demand;
}

void explain_fact(Ui& ui, const std::string& fact, const Rect& behind) {
  if (fact.find("entropy") == std::string::npos) return;
  const float end = behind.min.x - ui.px(10), width = std::ceil(text_width(ui, Type::words12, fact));
  interact_mouse(ui, "inspector/entropy", {{end - width, behind.min.y}, {end, behind.max.y}}, {}, false);
}

void draw_inspector_header(Ui& ui, const Inspected& inspected, const Rect& area) {
  const bool per_head = inspected.data.trace().tensor(inspected.stage).rank() == 4;
  Rect all = area;
  Rect buttons = take_right(all, ui.px(size::panel_padding) + 2 * ui.px(28) + ui.px(kCollapseWidth), 0);
  buttons.max.x -= ui.px(size::panel_padding) - ui.px(4);
  collapse_button(ui, buttons, "inspector/close", Icon::chevron_right,
                  "Closes the inspector; F4 or its rail opens it again.", CommandId::toggle_inspector);
  const std::string fact = inspected_fact(inspected);
  const int head = per_head ? static_cast<int>(inspected.selection.head) : -1;
  explain_fact(ui, fact, panel_header(ui, all, inspected_title(inspected), fact, head, !per_head));
  const float y = std::round(area.min.y + (ui.px(size::panel_header) - ui.px(24)) / 2);
  bool& expanded = ui.state.panels.get<ShellState>().inspector_expanded;
  const Rect expand{{buttons.min.x, y}, {buttons.min.x + ui.px(26), y + ui.px(24)}};
  const Rect copy{{expand.max.x + ui.px(4), y}, {expand.max.x + ui.px(30), y + ui.px(24)}};
  if (icon_button(ui, "inspector/expand", expand, expanded ? Icon::close : Icon::expand,
                  {true, false, expanded ? kShrinkTip : kExpandTip})) {
    expanded = !expanded;
  }
  if (icon_button(ui, "inspector/copy", copy, Icon::copy, {true, false, kCopyTip})) copy_matrix(ui, inspected);
}

bool has_slice_steppers(const Inspected& inspected) {
  const Trace& trace = inspected.data.trace();
  return trace.inputs->batch > 1 || (!inspected.score_like && trace.tensor(inspected.stage).rank() == 4);
}

void draw_slice_steppers(Ui& ui, const Inspected& inspected, const Rect& line) {
  ViewState& view = ui.session.view;
  const Trace& trace = inspected.data.trace();
  Rect rest = line;
  const auto labelled = [&](const char* label, const char* name, std::int64_t shown, std::int64_t count,
                            const char* tip) -> std::optional<std::int64_t> {
    const float width = std::ceil(text_width(ui, Type::mono12, label));
    text_in(ui, take_left(rest, width, ui.px(8)), Type::mono12, ui.colors.text2, label);
    const Rect field = take_left(rest, ui.px(92), ui.px(16));
    std::int64_t value = shown;
    if (!index_stepper(ui, name, field, value, count, {true, false, tip})) return std::nullopt;
    return value;
  };
  if (trace.inputs->batch > 1) {
    const auto batch = labelled("batch", "inspector/batch", inspected.batch, trace.inputs->batch,
                                "Which sequence of the batch: the first index of every stage.");
    if (batch) view.batch = *batch;
  }
  if (trace.tensor(inspected.stage).rank() == 4) {
    const auto head = labelled("head", "inspector/head", inspected.selection.head, trace.num_heads(),
                               "Which head. With grouped heads, key and value show the kv head that it uses.");
    if (head) view.head = *head;
  }
}

}  // namespace headscope::ui

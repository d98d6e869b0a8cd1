#include "app/ui/request/request_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/shell_state.h"
#include "app/ui/shortcuts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/attention/operation_text.h"
#include "core/attention/score_rule_of.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {
namespace {

constexpr const char *kTitle = "Request", *kKey = "F9";
constexpr const char* kOpen = "Opens the controls of this in a row (F9 opens all).";
constexpr const char* kClose = "Closes its controls (Esc).";
constexpr float kRowPadding = 10, kClosing = 24;

// The section that has the controls of a fact; the whole panel has the others.
struct FactSection {
  std::string_view option;
  void (*draw)(RequestRows& rows);
};
constexpr FactSection kSections[] = {{"model", draw_model_section},   {"weights", draw_model_section},
                                     {"layer", draw_model_section},   {"heads", draw_model_section},
                                     {"d-model", draw_model_section}, {"mask", draw_mask_section},
                                     {"scale", draw_scores_section},  {"ablate", draw_interventions_section}};

RequestFact weights_fact(const Trace& trace) {
  if (trace.model != nullptr) {
    const bool trained = trace.model->checkpoint != nullptr;
    const std::string& name = trace.model->name;
    return {(name.starts_with("demo:") ? name.substr(5) : name) + (trained ? ", trained" : ""), "model", false};
  }
  if (!trace.request.weights.empty()) {
    return {std::filesystem::path(trace.request.weights).filename().string(), "weights", false};
  }
  const bool projects = trace.find(StageId::qkv) != nullptr || trace.find(StageId::query_proj) != nullptr;
  if (!projects) return {"no projections", "model", false};
  return {trace.request.model == "seeded" ? "random weights" : trace.request.model, "model"};
}

RequestFact layer_fact(const ModelTrace& model) {
  const auto layers = static_cast<std::int64_t>(model.layers.size());
  const bool last = model.layer + 1 == layers;
  return {last ? fmt::format("layer {}, the last of {}", model.layer, layers)
               : fmt::format("layer {} of {}", model.layer, layers),
          "layer", last};
}

RequestFact heads_fact(const Inputs& inputs) {
  std::string words = fmt::format("{} {}", inputs.num_heads, inputs.num_heads == 1 ? "head" : "heads");
  if (inputs.num_kv_heads != inputs.num_heads) words += fmt::format(", {} of keys", inputs.num_kv_heads);
  return {words, "heads"};
}

RequestFact mask_fact(const Trace& trace) {
  std::string words = mask_step_text(trace.request, *trace.inputs);
  if (words.starts_with("+ ")) words.erase(0, 2);
  return {words, "mask"};
}

RequestFact scale_fact(const Trace& trace) {
  const double scale = scale_of(trace.request, *trace.inputs);
  const auto head_dim = static_cast<double>(trace.inputs->head_dim);
  const bool usual = std::abs(scale - 1 / std::sqrt(head_dim)) <= 1e-12;
  if (usual) return {fmt::format("scale 1/√{}", trace.inputs->head_dim), "scale"};
  return {scale == 1 ? "no scale" : fmt::format("scale {:.6g}", scale), "scale", false};
}

float fact_width(Ui& ui, const std::string& words) {
  return std::ceil(text_width(ui, Type::words13, words)) + 1;
}

void draw_fact(Ui& ui, const RequestFact& fact, const Rect& place) {
  const std::string name = fmt::format("request/fact/{}", fact.option);
  std::string& open = ui.state.panels.get<FactRow>().option;
  const bool is_open = open == fact.option;
  const Interaction it = interact(ui, name, place, {true, false, is_open ? kClose : kOpen});
  const Rgba ink = it.hovered || is_open || !fact.usual ? ui.colors.text : ui.colors.text2;
  if (is_open) fill({{place.min.x - ui.px(6), place.min.y}, {place.max.x + ui.px(6), place.max.y}}, ui.colors.tint);
  text_in(ui, place, Type::words13, ink, fact.words);
  dotted_line(ui, place.min.x, place.max.x, std::round(place.center().y + ui.px(9)), ink);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(2)), ui.px(size::radius_control));
  if (!it.clicked) return;
  open = is_open ? "" : fact.option;
  if (!is_open) ui.state.focus = control_of_option(fact.option);
  ui.state.wants_frame = true;
}

// The caret and the title, as one button.
void draw_title(Ui& ui, Rect& line) {
  const Rect place = take_left(line, ui.px(20) + fact_width(ui, kTitle), ui.px(18));
  const Interaction it = interact(ui, "request/open", place, {true, false, "Opens the panel of the request (F9)."});
  const Rgba ink = it.hovered ? ui.colors.text : ui.colors.text2;
  draw_icon(ui, Icon::chevron_right, {place.min.x + ui.px(6), std::round(place.center().y)}, ui.px(10), ink);
  text_in(ui, {{place.min.x + ui.px(18), place.min.y}, place.max}, Type::title13, ui.colors.text, kTitle);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(1)), ui.px(size::radius_control));
  if (it.clicked) ui.push(CommandId::toggle_request);
}

}  // namespace

std::vector<RequestFact> request_facts(const Trace& trace, std::size_t changes) {
  std::vector<RequestFact> facts = {weights_fact(trace)};
  if (trace.model != nullptr && trace.model->layers.size() > 1) facts.push_back(layer_fact(*trace.model));
  facts.push_back(heads_fact(*trace.inputs));
  facts.push_back({fmt::format("{} wide", trace.inputs->head_dim), "d-model"});
  if (trace.find(StageId::masked_scores) != nullptr || trace.find(StageId::raw_scores) != nullptr) {
    facts.push_back(mask_fact(trace));
    facts.push_back(scale_fact(trace));
  }
  const std::string words = changes == 0   ? "nothing changed"
                            : changes == 1 ? "1 intervention"
                                           : fmt::format("{} interventions", changes);
  facts.push_back({words, "ablate", changes == 0});
  return facts;
}

float fact_row_height(Ui& ui) {
  FactRow& row = ui.state.panels.get<FactRow>();
  // The panel has the same controls.
  if (ui.state.panels.get<ShellState>().on_screen.request) row.option.clear();
  return row.option.empty() ? 0 : ui.px(row.height);
}

bool close_fact_row(Ui& ui) {
  std::string& open = ui.state.panels.get<FactRow>().option;
  if (open.empty()) return false;
  open.clear();
  if (ui.state.focus.starts_with("request/")) ui.state.focus.clear();
  ui.session.end_undo_step();
  ui.state.wants_frame = true;
  return true;
}

namespace {

// The controls of the open fact beside each other, and an x.
void draw_fact_row(Ui& ui, const Rect& area) {
  FactRow& row = ui.state.panels.get<FactRow>();
  ui.mark("request/fact_row", area);
  fill(area, ui.colors.chrome);
  horizontal_line(ui, area.min.x, area.max.x, area.min.y, ui.colors.accent);
  const float padding = ui.px(size::panel_padding), top = area.min.y + ui.px(kRowPadding);
  Rect inner{{area.min.x + padding, top}, {area.max.x - padding, area.max.y}};
  const Rect x = take_right(inner, ui.px(kClosing), ui.px(12));
  if (icon_button(ui, "request/fact_row/close", {x.min, {x.max.x, x.min.y + ui.px(kClosing)}}, Icon::close,
                  {true, false, kClose})) {
    row.option.clear();
  }
  RequestRows rows{.ui = ui, .area = inner, .y = top, .across = true, .next = inner.min};
  for (const FactSection& section : kSections) {
    if (section.option == row.option) section.draw(rows);
  }
  if (!rows.across_state.empty()) {
    const float width = std::ceil(text_width(ui, Type::words12, rows.across_state)) + 1;
    text_in(ui, rows.place_across(width), Type::words12, ui.colors.text2, rows.across_state);
  }
  const float height = (rows.next.y + ui.px(size::control_height) - top) / ui.scale + 2 * kRowPadding;
  if (height != row.height) ui.state.wants_frame = true;
  row.height = height;
}

}  // namespace

void draw_request_facts(Ui& ui, const Rect& whole) {
  const float open = fact_row_height(ui);
  const Rect area{whole.min, {whole.max.x, whole.max.y - open}};
  if (open > 0) draw_fact_row(ui, {{area.min.x, area.max.y}, whole.max});
  ui.mark("request/facts", area);
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y - std::max(1.0f, ui.px(1))}};
  draw_title(ui, line);
  text_in(ui, take_right(line, fact_width(ui, kKey), ui.px(12)), Type::mono11, ui.colors.text2, kKey, 1);
  const auto trace = ui.session.trace();
  if (trace != nullptr) {
    const bool with_layers = trace->model != nullptr;
    const float dot = fact_width(ui, "·"), gap = ui.px(7);
    bool first = true;
    for (const RequestFact& fact : request_facts(*trace, active_interventions(ui.session.draft, with_layers).size())) {
      const float width = fact_width(ui, fact.words) + (first ? 0 : dot + gap);
      if (width > line.width()) break;
      if (!first) text_in(ui, take_left(line, dot, gap), Type::words13, ui.colors.text3, "·");
      draw_fact(ui, fact, take_left(line, fact_width(ui, fact.words), gap));
      first = false;
    }
  }
  horizontal_line(ui, area.min.x, area.max.x, line.max.y, ui.colors.line);
}

}  // namespace headscope::ui

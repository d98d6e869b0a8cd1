#include "app/ui/request/request_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/attention/operation_text.h"
#include "core/attention/score_rule_of.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {
namespace {

constexpr const char *kTitle = "Request", *kKey = "F9";

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
  const Interaction it = interact(ui, name, place, {true, false, "Opens the controls of this (F9 opens all)."});
  const Rgba ink = it.hovered || !fact.usual ? ui.colors.text : ui.colors.text2;
  text_in(ui, place, Type::words13, ink, fact.words);
  dotted_line(ui, place.min.x, place.max.x, std::round(place.center().y + ui.px(9)), ink);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(2)), ui.px(size::radius_control));
  if (it.clicked) ui.push(CommandId::show_option, fact.option);
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

void draw_request_facts(Ui& ui, const Rect& area) {
  ui.mark("request/facts", area);
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y - std::max(1.0f, ui.px(1))}};
  draw_title(ui, line);
  text_in(ui, take_right(line, fact_width(ui, kKey), ui.px(12)), Type::mono11, ui.colors.text2, kKey, 1);
  const auto trace = ui.session.trace();
  if (trace != nullptr) {
    const bool whole = trace->model != nullptr;
    const float dot = fact_width(ui, "·"), gap = ui.px(7);
    bool first = true;
    for (const RequestFact& fact : request_facts(*trace, active_interventions(ui.session.draft, whole).size())) {
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

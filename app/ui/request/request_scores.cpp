// Request, Scores: scale, softcap, dropout.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "core/request/model_text.h"

namespace headscope::ui {

namespace {

// The number of a head's features in the draft, as far as it is known.
std::int64_t head_dim_of(const Ui& ui) {
  const Request& draft = ui.session.draft;
  if (!is_attention_alone(draft) && draft.weights.empty() && draft.model == "seeded") {
    const std::int64_t width = draft.d_model.value_or(kDefaultModelWidth), heads = draft.heads.value_or(kDefaultHeads);
    return heads > 0 && width > 0 && width % heads == 0 ? width / heads : 0;
  }
  const auto trace = ui.session.trace();
  return trace != nullptr ? trace->inputs->head_dim : 0;
}

// The scale that the model of the draft has of its own, as far as it is known.
std::optional<double> scale_of_model(const Ui& ui) {
  const auto trace = ui.session.trace();
  const bool known =
      trace != nullptr && trace->inputs != nullptr && same_base(trace->request.model, ui.session.draft.model);
  return known ? trace->inputs->score_scale : std::nullopt;
}

void draw_scale(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const std::optional<double> of_model = scale_of_model(ui);
  const std::int64_t head_dim = head_dim_of(ui);
  const std::string automatic = automatic_scale_text(of_model, head_dim);
  bool& own = ui.state.panels.get<RequestPanelState>().own_scale;
  int selected = !draft.scale ? 0 : *draft.scale == 1 ? 1 : 2;
  if (own && draft.scale) selected = 2;
  if (!draft.scale) own = false;
  if (combo(
          ui, "request/scale", rows.control("scale"), {automatic, "1: not scaled", "number..."}, selected,
          {rows.state("scale", "scores = scale * query . key; auto keeps their variance at that of a single product."),
           Type::words12})) {
    own = selected == 2;
    if (selected == 0) draft.scale.reset();
    if (selected == 1) draft.scale = 1;
    if (selected == 2 && !draft.scale) {
      const double usual = head_dim > 0 ? std::round(1e4 / std::sqrt(static_cast<double>(head_dim))) / 1e4 : 0.125;
      draft.scale = of_model.value_or(usual);
    }
  }
  if (selected == 2 && draft.scale) {
    double value = *draft.scale;
    if (number_field(ui, "request/scale/number", rows.control(""), value, false,
                     rows.state("scale", "What query . key is multiplied by."))) {
      draft.scale = value;
    }
  }
  rows.problem("scale");
}

void draw_softcap(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  bool& own = ui.state.panels.get<RequestPanelState>().own_softcap;
  if (!draft.softcap) own = false;
  int selected = !draft.softcap ? 0 : own ? 3 : *draft.softcap == 30 ? 1 : *draft.softcap == 50 ? 2 : 3;
  if (combo(ui, "request/softcap", rows.control("softcap"), {"off", "30", "50", "number..."}, selected,
            {rows.state("softcap", "capped_scores = C * tanh(scores / C), before the mask: no score leaves (-C, C)."),
             Type::words12})) {
    own = selected == 3;
    if (selected == 0) draft.softcap.reset();
    if (selected == 1) draft.softcap = 30;
    if (selected == 2) draft.softcap = 50;
    if (selected == 3 && !draft.softcap) draft.softcap = 20;
  }
  if (selected == 3 && draft.softcap) {
    double value = *draft.softcap;
    if (number_field(ui, "request/softcap/number", rows.control(""), value, false,
                     rows.state("softcap", "C of C * tanh(scores / C)."))) {
      draft.softcap = value;
    }
  }
  rows.problem("softcap");
  if (!draft.softcap && draft.softcap_order == SoftcapOrder::before_mask) return;
  int order = static_cast<int>(draft.softcap_order);
  if (combo(
          ui, "request/softcap_order", rows.control("cap"), {"before the mask", "after the mask"}, order,
          {rows.state("softcap-order",
                      "Whether scores are capped before the mask adds to them, as Gemma does, or after, as ONNX does. "
                      "Hidden cells stay hidden."),
           Type::words12})) {
    draft.softcap_order = static_cast<SoftcapOrder>(order);
  }
  rows.problem("softcap-order");
}

void draw_dropout(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  slider(ui, "request/dropout", rows.control("dropout"), draft.dropout, {.low = 0, .high = 1},
         rows.state("dropout",
                    "Each weight is dropped with probability p, the others are divided by 1 - p (dropped_weights)."));
  rows.problem("dropout");
  if (!draft.dropout_mask.empty()) {
    const std::size_t slash = draft.dropout_mask.rfind('/');
    Rect place = rows.control("keep pattern");
    const Rect remove = take_right(place, ui.px(22), ui.px(4));
    text_in(ui, place, Type::mono12, ui.colors.text2,
            slash == std::string::npos ? draft.dropout_mask : draft.dropout_mask.substr(slash + 1));
    if (icon_button(ui, "request/dropout_mask/remove", remove, Icon::close,
                    {true, false, "Draws the pattern by the seed again."})) {
      ui.session.end_undo_step();
      draft.dropout_mask.clear();
    }
    rows.problem("dropout-mask");
  } else if (draft.dropout > 0 || draft.dropout_seed != 0) {
    seed_stepper(ui, "request/dropout_seed", rows.control("dropout seed"), draft.dropout_seed,
                 rows.state("dropout-seed", "Which weights are dropped: the same seed drops the same ones."));
    rows.problem("dropout-seed");
  }
}

}  // namespace

std::string automatic_scale_text(std::optional<double> of_model, std::int64_t head_dim) {
  if (of_model) return fmt::format("the model's: {:.4g}", *of_model);
  if (head_dim <= 0) return "auto: 1/\xE2\x88\x9Ahead_dim";
  return fmt::format("auto: 1/\xE2\x88\x9A{} = {:.4f}", head_dim, 1 / std::sqrt(static_cast<double>(head_dim)));
}

void draw_scores_section(RequestRows& rows) {
  rows.section("Scores");
  if (const char* why = rows.lock({"scale", "softcap", "softcap-order", "dropout", "dropout-mask"})) {
    rows.locked("scores", "as captured", why);
    rows.y += rows.ui.px(6);
    return rows.end_section();
  }
  draw_scale(rows);
  draw_softcap(rows);
  draw_dropout(rows);
  rows.end_section();
}

}  // namespace headscope::ui

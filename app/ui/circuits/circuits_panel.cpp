// The view 'circuits': its controls, what is said where there is nothing to show, and where its parts stand.
#include "app/ui/circuits/circuits_panel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "app/session/session.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

void draw_header(Ui& ui, const Rect& area) {
  CircuitsView& view = ui.session.view.circuits;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "circuits/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  int show = static_cast<int>(view.show);
  if (segments(ui, "circuits/show", take_right(line, ui.px(270), ui.px(6)), {"composition", "tokens", "vocabulary"},
               show,
               {true, false,
                "Which heads read what earlier heads write; what one head does with a token, or a few; or with every "
                "token of the vocabulary. From weights alone, with the gains of the norms around attention multiplied "
                "into them."})) {
    view.show = static_cast<CircuitsShow>(show);
  }
  panel_header(ui, {area.min, {line.max.x, area.max.y}}, "", "from weights alone, whatever the text");
}

// Which of its maps a head reads with. Returns the y below.
float draw_reads(Ui& ui, const Rect& area) {
  const float pad = ui.px(size::panel_padding), top = area.min.y + ui.px(3);
  Rect line{{area.min.x + pad, top}, {area.max.x - pad, top + ui.px(size::control_height)}};
  text_in(ui, take_left(line, ui.px(94), ui.px(6)), Type::words12, ui.colors.text2, "heads read with");
  CircuitsView& view = ui.session.view.circuits;
  int reads = static_cast<int>(view.reads);
  const std::vector<std::string> names(std::begin(kCompositionNames), std::end(kCompositionNames));
  if (segments(ui, "circuits/reads", take_left(line, std::min(ui.px(200), line.width()), ui.px(8)), names, reads,
               {true, false,
                "How far what an earlier head writes lies in what a later one reads as its query, key or value: "
                "|QK^T OV|, |QK OV| or |OV OV'|, over the norms of both."})) {
    view.reads = static_cast<CompositionKind>(reads);
  }
  return line.max.y + ui.px(6);
}

// Why there is no map of pairs; nullopt: there is one.
std::optional<std::string> no_pairs(const Trace& trace) {
  if (trace.model->checkpoint->architecture().num_layers >= 2) return std::nullopt;
  return "This model has one layer, whose heads cannot read each other. What a head does with tokens: tokens, above.";
}

void draw_composition(Ui& ui, const Trace& trace, Rect body) {
  if (const std::optional<std::string> why = no_pairs(trace)) {
    return view_sentence(ui, "circuits", body, ui.colors.text, *why);
  }
  body.min.y = draw_reads(ui, body);
  const auto result = known_composition(ui, trace);
  if (result == nullptr) return view_sentence(ui, "circuits", body, ui.colors.text2, "Computing …");
  if (!result->answer) return view_sentence(ui, "circuits", body, ui.colors.text, result->failure);
  const CompositionShown shown = composition_shown(ui, trace, result);
  const Rect pair = take_detail(ui, body, {.share = 0.5f, .narrowest = 380, .widest = 760});
  draw_circuits_composition(ui, shown, body);
  draw_circuits_pair(ui, shown, pair);
}

void draw_tokens(Ui& ui, const Trace& trace, Rect body) {
  const Checkpoint& checkpoint = *trace.model->checkpoint;
  if (checkpoint.architecture().image || checkpoint.embedding().word.empty()) {
    return view_sentence(ui, "circuits", body, ui.colors.text, "This model reads no text: it has no vocabulary.");
  }
  if (ui.session.view.circuits.show == CircuitsShow::vocabulary) return draw_circuits_vocabulary(ui, trace, body);
  body.min.y = draw_tokens_controls(ui, trace, body);
  draw_circuits_tokens(ui, trace, body);
}

}  // namespace

std::string circuits_focus(const Ui& ui) {
  constexpr const char* kFirst[] = {kCircuitsMap, kCircuitsToken, kCircuitsVocabulary};
  return kFirst[static_cast<std::size_t>(ui.session.view.circuits.show)];
}

void draw_circuits_panel(Ui& ui, const Rect& area) {
  ui.mark("circuits", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr || trace->model->checkpoint == nullptr) return;
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_header(ui, header);
  const Rect body{{area.min.x, header.max.y}, area.max};
  if (trace->model->checkpoint->architecture().of_decoder()) {
    return view_sentence(ui, "circuits", body, ui.colors.text,
                         "The heads of a decoder beside an encoder read two streams, which no one map of "
                         "pairs shows. Its encoder has circuits: choose it under Model.");
  }
  if (ui.session.view.circuits.show != CircuitsShow::composition) return draw_tokens(ui, *trace, body);
  draw_composition(ui, *trace, body);
}

}  // namespace headscope::ui

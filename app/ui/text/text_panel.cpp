// The view 'text': where its parts stand, and what is asked of the background.
#include "app/ui/text/text_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/look_sentence.h"

namespace headscope::ui {
namespace {

constexpr float kExplained = 400, kExplainedFrom = 1060, kLegend = 52, kReadout = 26, kLeastWords = 190;
constexpr std::int64_t kLongText = 400;  // tokens from which words are smaller

TextShown shown_text(Ui& ui, PanelData& data) {
  const ViewState& view = ui.session.view;
  const Trace& trace = data.trace();
  TextShown shown{data, selection_of(view, trace), {}, nullptr, true, true, false, {}};
  shown.row = view.text.along == TextAlong::row;
  shown.one_text = trace.inputs->key_tokens == trace.inputs->tokens && trace.key_len() == trace.query_len();
  shown.large = std::max(trace.query_len(), trace.key_len()) >= kLongText;
  // What a learned query gathers is painted over its keys; between other texts of two kinds there is no one image.
  if (shown.one_text || trace.query_len() == 1) shown.patches = image_patches(trace, shown.row);
  const std::int64_t count = shown.row ? trace.query_len() : trace.key_len();
  ViewSpec spec;
  set_text(spec, view);
  shown.request.batch = shown.selection.batch;
  shown.request.heads = combined_heads(spec.heads_shown, trace.num_heads());
  shown.request.token = std::clamp<std::int64_t>(spec.token.value_or(count - 1), 0, count - 1);
  shown.request.along = spec.along;
  shown.request.combined = spec.combined;
  shown.result = ui.session.background.text_shades.want({data.shared_trace(), shown.request});
  // The answer to an older question is shown until this one's is there, if it is of as many words.
  if (const TextWeights* known = shown.weights()) {
    const bool fits = known->by_head.dim(0) == trace.num_heads() &&
                      known->by_head.dim(1) == (shown.row ? trace.key_len() : trace.query_len()) &&
                      shown.result->question.request.along == shown.request.along;
    if (!fits) shown.result = nullptr;
  }
  return shown;
}

// The strongest word becomes the pair's other end, once it is known.
void choose_partner(Ui& ui, const TextShown& shown) {
  TextPanelState& state = ui.state.panels.get<TextPanelState>();
  if (!shown.current() || shown.weights()->strongest.empty()) return;
  ViewState& view = ui.session.view;
  const bool unknown = !view.cell || !is_score_like(view.stage) || view.cell->column < 0;
  if (!state.partner_waits && !unknown) return;
  state.partner_waits = false;
  const std::int64_t strongest = shown.weights()->strongest.front();
  select_stage(view, StageId::weights);
  view.cell = shown.row ? Cell{shown.request.token, strongest} : Cell{strongest, shown.request.token};
  // The explanation is of the head that adds most.
  const Tensor& weights = shown.weights()->by_head;
  for (const std::int64_t head : shown.request.heads) {
    const bool first = head == shown.request.heads.front();
    if (first || weights.at({head, strongest}) > weights.at({view.head, strongest})) view.head = head;
  }
}

// 'Where this number comes from' of the pair, in the head that is picked.
void draw_pair(Ui& ui, const TextShown& shown, const Rect& area) {
  vertical_line(ui, area.min.x, area.min.y, area.max.y, ui.colors.line);
  const float pad = ui.px(size::panel_padding);
  const Rect place{{area.min.x + pad, area.min.y}, {area.max.x - pad / 2, area.max.y}};
  std::optional<Explained> what;
  const std::int64_t partner = shown.partner(ui);
  if (partner >= 0) {
    const Cell cell = shown.row ? Cell{shown.request.token, partner} : Cell{partner, shown.request.token};
    what = Explained{place_of(shown.data.trace(), StageId::weights, shown.selection.batch, shown.selection.head, cell),
                     false};
  }
  float& needed = ui.state.panels.get<TextPanelState>().explained_height;
  const ScrollArea scroll = begin_scroll(ui, "text/pair", place, needed);
  const Rect moved{{place.min.x, place.min.y - scroll.offset}, {place.max.x - ui.px(8), place.max.y}};
  needed = draw_explanation(ui, shown.data, what, moved, place, "Where this number comes from");
  end_scroll(ui);
}

// "green looks most at book: 0.7053, weights of head 1."
std::string finding_of(const TextShown& shown) {
  if (!shown.current() || shown.weights()->strongest.empty()) return "";
  const std::int64_t strongest = shown.weights()->strongest.front();
  const std::vector<std::string>&rows = shown.data.rows(StageId::weights),
        &columns = shown.data.columns(StageId::weights);
  const std::string query = token_or_index(rows, shown.row ? shown.request.token : strongest);
  const std::string key = token_or_index(columns, shown.row ? strongest : shown.request.token);
  const float value = shown.weights()->values[static_cast<std::size_t>(strongest)];
  return fmt::format("{} looks most at {}: {}, {}.", without_blanks(query), without_blanks(key),
                     number_label(static_cast<double>(value), 4),
                     text_weights_words(shown.request, shown.data.trace().num_heads()));
}

}  // namespace

std::int64_t TextShown::partner(const Ui& ui) const {
  const ViewState& view = ui.session.view;
  const bool waits =
      ui.state.panels.find<TextPanelState>() != nullptr && ui.state.panels.find<TextPanelState>()->partner_waits;
  if (view.cell && is_score_like(view.stage) && !waits) {
    const std::int64_t other = row ? view.cell->column : view.cell->row;
    if (other >= 0 && other < (row ? data.trace().key_len() : data.trace().query_len())) return other;
  }
  return current() && !weights()->strongest.empty() ? weights()->strongest.front() : -1;
}

void pick_word(Ui& ui, const TextShown& shown, std::int64_t token, bool partner) {
  const Trace& trace = shown.data.trace();
  const bool is_query = shown.row != partner;
  if (token < 0 || token >= (is_query ? trace.query_len() : trace.key_len())) return;
  const std::int64_t other = partner ? shown.request.token : std::max<std::int64_t>(shown.partner(ui), 0);
  select_stage(ui.session.view, StageId::weights);
  ui.session.view.cell = is_query ? Cell{token, other} : Cell{other, token};
  // Another query has another strongest key.
  ui.state.panels.get<TextPanelState>().partner_waits = !partner;
}

void draw_text_panel(Ui& ui, const Rect& area) {
  ui.mark("text", area);
  PanelData* const data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::weights) == nullptr) return;
  const Trace& trace = data->trace();
  if (trace.query_len() == 0 || trace.key_len() == 0) return;
  const TextShown shown = shown_text(ui, *data);
  choose_partner(ui, shown);
  say_finding(ui, MainView::text, finding_of(shown));
  Rect rest = area;
  if (area.width() >= ui.px(kExplainedFrom)) draw_pair(ui, shown, take_right(rest, ui.px(kExplained), 0));
  const Rect header{rest.min, {rest.max.x, rest.min.y + ui.px(size::panel_header)}};
  draw_text_header(ui, shown, header);
  const float pad = ui.px(size::panel_padding);
  Rect body{{rest.min.x + pad, header.max.y}, {rest.max.x - pad, rest.max.y - ui.px(8)}};
  body.min.y += draw_text_heads(ui, shown, body);
  const Rect readout{{body.min.x, body.max.y - ui.px(kReadout)}, body.max};
  draw_text_readout(ui, shown, readout);
  body.max.y = readout.min.y - ui.px(8);
  if (shown.patches) {
    const float legend = body.max.y - ui.px(kLegend);
    draw_text_image(ui, shown, *shown.patches, {body.min, {body.max.x, legend}});
    draw_text_legend(ui, shown, {{body.min.x, legend}, body.max});
    ask_for_rest(ui);
    return;
  }
  // The words take what they need; where that is more than there is, the heads below them take less.
  const float all = text_words_height(ui, shown, body.width());
  const float least = std::min(all, ui.px(kLeastWords));
  const float bands = text_bands_height(ui, shown, body.height() - ui.px(kLegend) - least);
  const float words = std::min(all, body.height() - ui.px(kLegend) - bands);
  const float legend = body.min.y + words;
  draw_text_words(ui, shown, {body.min, {body.max.x, legend}});
  draw_text_legend(ui, shown, {{body.min.x, legend}, {body.max.x, legend + ui.px(kLegend)}});
  if (bands > 0) {
    const float top = legend + ui.px(kLegend);
    draw_text_bands(ui, shown, {{body.min.x, top}, {body.max.x, top + bands}});
  }
  ask_for_rest(ui);
}

}  // namespace headscope::ui

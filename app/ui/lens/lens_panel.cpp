// The view 'lens': what is asked of the background, and where its parts stand.
#include "app/ui/lens/lens_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/session/background/models/predictions.h"
#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/heads/look_sentence.h"

namespace headscope::ui {
namespace {

constexpr float kKinds = 210;

// The lens of the shown result; until that is known the last one. Null: none yet.
std::shared_ptr<const Lenses::Result> known_lens(Ui& ui, const std::shared_ptr<const Trace>& trace) {
  std::shared_ptr<const Lenses::Result>& last = ui.state.panels.get<LensPanelState>().last;
  // Of a model whose layers are still being computed there is none.
  if (trace->model->final_hidden.empty()) return last;
  const auto result =
      ui.session.background.lenses.want({trace, selection_of(ui.session.view, *trace).batch, ui.session.view.lens.of});
  if (result != nullptr) last = result;
  return last;
}

std::vector<std::int64_t> tokens_of(const LensView& view, const LogitLens& lens, std::int64_t column) {
  if (!view.tokens.empty()) return view.tokens;
  return {lens.model[static_cast<std::size_t>(column)].top.front().id};
}

// The row of the picked layer, or head; the last one where there is none.
std::int64_t row_of_lens(const ViewState& view, const LogitLens& lens) {
  const std::int64_t rows = std::ssize(lens.rows);
  if (lens.rows.front().head) return std::clamp<std::int64_t>(view.head, 0, rows - 1);
  if (view.lens.layer == LensView::kLastLayer) return rows - 1;
  return std::clamp<std::int64_t>(view.lens.layer - lens.rows.front().layer, 0, rows - 1);
}

LensShown shown_lens(Ui& ui, const std::shared_ptr<const Trace>& trace, const LogitLens& lens) {
  const LensView& view = ui.session.view.lens;
  const std::int64_t columns = std::ssize(lens.model);
  LensShown shown{*trace, lens, 0, 0, {}, nullptr};
  shown.row = row_of_lens(ui.session.view, lens);
  const std::int64_t position = view.position < 0 ? predicted_position(*trace->model) : view.position;
  shown.column = std::clamp<std::int64_t>(position, 0, columns - 1);
  shown.tokens = tokens_of(view, lens, shown.column);
  if (view.loss) shown.tokens.resize(1);
  shown.parts = ui.session.background.attributions.want({trace, shown.column, shown.tokens, view.by, view.loss});
  return shown;
}

// Which rows there are.
void draw_kinds(Ui& ui, const Rect& area) {
  int of = static_cast<int>(ui.session.view.lens.of);
  const std::vector<std::string> names(std::begin(kLensOfNames), std::end(kLensOfNames));
  if (segments(ui, "lens/of", area, names, of,
               {true, false,
                "The stream after every layer; after the attention of every layer, before its MLP; or what each head "
                "of the shown layer wrote alone, through a norm of that vector alone."})) {
    ui.session.view.lens.of = static_cast<LensOf>(of);
  }
}

// Says what the model predicts at the picked position, and from which row on it would have said that.
std::string finding_of(const LensShown& shown) {
  const auto column = static_cast<std::size_t>(shown.column);
  if (column >= shown.lens.model.size() || shown.lens.model[column].top.empty()) return "";
  const TokenProbability& said = shown.lens.model[column].top.front();
  std::string words = fmt::format("At {} {} the model says {}, {:.0f} %", shown.column,
                                  without_blanks(token_or_index(shown.trace.inputs->tokens, shown.column)),
                                  without_blanks(said.piece), 100 * said.probability);
  if (shown.lens.of == LensOf::heads) return words + ".";
  std::size_t first = shown.lens.rows.size();
  while (first > 0) {
    const std::vector<TokenProbability>& top = shown.lens.rows[first - 1].positions[column].top;
    if (top.empty() || top.front().id != said.id) break;
    --first;
  }
  const LensKind& kind = lens_kind(shown.lens.of);
  if (first == shown.lens.rows.size()) return words + fmt::format("; no row before its end says so.");
  return words + fmt::format("; it says so from {} on.", kind.row_name(shown.lens.rows[first]));
}

}  // namespace

void pick_lens_cell(Ui& ui, const LensRow& row, std::int64_t column) {
  if (row.head) {
    ui.session.view.head = *row.head;
  } else {
    ui.session.view.lens.layer = row.layer;
  }
  ui.session.view.lens.position = column;
}

void open_layer_at(Ui& ui, const LensShown& shown, std::int64_t layer, std::int64_t head) {
  open_one_layer(ui, std::max<std::int64_t>(layer, 0), head);
  ui.session.view.cell = Cell{shown.column, shown.column};
}

void draw_lens_panel(Ui& ui, const Rect& area) {
  ui.mark("lens", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr || trace->query_len() == 0) return;
  Rect all{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  Rect line{{all.min.x, std::round(all.center().y - ui.px(12))}, {all.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "lens/colormap", take_right(line, ui.px(92), ui.px(6)), true);
  draw_kinds(ui, take_right(line, ui.px(kKinds), ui.px(6)));
  all.max.x = line.max.x;
  const LensKind& kind = lens_kind(ui.session.view.lens.of);
  panel_header(ui, all, kind.title, "");
  Rect body{{area.min.x, all.max.y}, area.max};
  const auto result = known_lens(ui, trace);
  if (result == nullptr) return view_sentence(ui, "lens", body, ui.colors.text2, "Computing …");
  if (!result->answer) return view_sentence(ui, "lens", body, ui.colors.text, result->failure);
  const LensShown shown = shown_lens(ui, result->question.trace, *result->answer);
  say_finding(ui, MainView::lens, finding_of(shown));
  const Rect logit = take_detail(ui, body, {.share = 0.36f, .widest = 440});
  draw_lens_grid(ui, shown, body);
  draw_lens_logit(ui, shown, logit);
}

}  // namespace headscope::ui

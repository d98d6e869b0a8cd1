#include "app/session/view_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

// How a picture shows what HeadsShow names, in its order; `of_query`: one query stands out.
struct HeadsPicture {
  HeadsShow shows;
  ViewKind kind;
  bool of_query = false;
};
constexpr HeadsPicture kHeadsPictures[] = {{HeadsShow::one, ViewKind::head},
                                           {HeadsShow::grid, ViewKind::heads},
                                           {HeadsShow::arcs, ViewKind::arcs, true},
                                           {HeadsShow::neurons, ViewKind::neurons, true}};

// A picture of one head opened beside all of them before one could be shown large, and still does.
HeadsShow heads_of_picture(ViewKind kind) {
  for (const HeadsPicture& row : kHeadsPictures) {
    if (row.of_query && row.kind == kind) return row.shows;
  }
  return HeadsShow::grid;
}

}  // namespace

void set_text(ViewSpec& spec, const ViewState& view) {
  spec.view = ViewKind::text;
  spec.stage = StageId::weights;
  spec.along = view.text.along;
  spec.combined = view.text.combined;
  spec.heads_shown = view.text.heads;
  // What these say of other views does not matter here.
  spec.head = ViewSpec().head;
  spec.hide_below = ViewSpec().hide_below;
  spec.sentences = ViewSpec().sentences;
  const bool row = view.text.along == TextAlong::row;
  if (!view.cell || !is_score_like(view.stage)) return;
  const std::int64_t token = row ? view.cell->row : view.cell->column;
  if (token >= 0) spec.token = token;
}

ViewState with_layout_of(ViewState view, const ViewState& screen) {
  view.request_width = screen.request_width;
  view.inspector_width = screen.inspector_width;
  view.concat_height = screen.concat_height;
  view.request_collapsed = screen.request_collapsed;
  view.concat_collapsed = screen.concat_collapsed;
  view.inspector_collapsed = screen.inspector_collapsed;
  view.pipeline_collapsed = screen.pipeline_collapsed;
  view.views_grouped = screen.views_grouped;
  view.request_opened_by_hand = screen.request_opened_by_hand;
  return view;
}

ViewSpec view_spec_of(const ViewState& view, Theme theme) {
  ViewSpec spec;
  if (view.main_view == MainView::layers) {
    spec.view = ViewKind::layers;
    spec.aggregate = view.layers.aggregate;
  } else if (view.main_view == MainView::text) {
    set_text(spec, view);
  } else if (view.main_view == MainView::lens) {
    spec.view = ViewKind::lens;
    spec.question.lens_of = view.lens.of;
  } else if (is_score_like(view.stage)) {
    const HeadsPicture& picture = kHeadsPictures[static_cast<std::size_t>(view.heads_show)];
    spec.view = picture.kind;
    spec.stage = view.quantity;
    if (view.cell && picture.of_query) spec.token = view.cell->row;
  } else {
    spec.view = view.stage == StageId::concat ? ViewKind::concat : ViewKind::stage;
    spec.stage = view.stage;
  }
  spec.batch = view.batch;
  spec.head = view.head;
  spec.colormap = is_weight_like(spec.stage) ? view.weight_map : view.signed_map;
  if (is_score_like(spec.stage)) {
    spec.range = view.range_fixed ? RangeKind::fixed : view.range;
    spec.range_low = view.range_low;
    spec.range_high = view.range_high;
  } else if (view.stage_range && view.stage_range->stage == spec.stage) {
    spec.range = view.stage_range->range;
    spec.range_low = view.stage_range->low;
    spec.range_high = view.stage_range->high;
  }
  spec.log_scale = view.log_scale;
  spec.theme = theme;
  if (spec.view == ViewKind::arcs) spec.heads_shown = view.arcs_chosen ? view.arcs_heads : std::vector{view.head};
  if (spec.view == ViewKind::neurons && view.arcs_chosen) spec.heads_shown = view.arcs_heads;
  spec.hide_below = view.arcs_hide_below;
  spec.sentences = view.arcs_sentences;
  return spec;
}

namespace {

// The picture of an attribution opens in the lens. Tokens that it names by their words are chosen there anew.
void apply_attribution(ViewState& view, const ViewSpec& spec) {
  view.main_view = MainView::lens;
  view.lens = LensView();
  view.lens.by = spec.question.by.value_or(AttributionBy::components);
  view.lens.loss = spec.question.loss;
  if (spec.at.size() == 1 && spec.at.front() >= 0) view.lens.position = spec.at.front();
  std::istringstream ids(spec.question.tokens);
  for (std::string id; std::getline(ids, id, ',');) {
    const bool number = !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
    if (!number || view.lens.tokens.size() == 2) {
      view.lens.tokens.clear();
      return;
    }
    view.lens.tokens.push_back(std::stoll(id));
  }
}

void apply_sweep(ViewState& view, const ModelQuestion& question) {
  view.sweep = SweepView();
  view.sweep.patch = question.patch;
  view.sweep.into = question.into.has_value();
  if (question.from || question.into) view.sweep.end = question.into ? *question.into : *question.from;
  view.sweep.numbers = question.ablation == Ablation::zero           ? SweepNumbers::zeros
                       : question.ablation                           ? SweepNumbers::means
                       : question.direction == SweepDirection::noise ? SweepNumbers::b_into_a
                                                                     : SweepNumbers::a_into_b;
  constexpr std::pair<std::string_view, SweepMeasure> kWords[] = {{"logit:", SweepMeasure::logit},
                                                                  {"prob:", SweepMeasure::probability},
                                                                  {"loss", SweepMeasure::loss},
                                                                  {"kl", SweepMeasure::kl},
                                                                  {"cell:", SweepMeasure::cell}};
  // A metric that the window has no measure for leaves the usual one.
  for (const auto& [word, measure] : kWords) {
    if (word.ends_with(':') ? !question.metric.starts_with(word) : question.metric != word) continue;
    view.sweep.measure = measure;
    (measure == SweepMeasure::cell ? view.sweep.number : view.sweep.tokens) = question.metric.substr(word.size());
  }
}

}  // namespace

void apply_view_spec(ViewState& view, const ViewSpec& spec) {
  view.stage = spec.view == ViewKind::concat ? StageId::concat : spec.stage;
  if (is_score_like(view.stage)) view.quantity = view.stage;
  if (spec.view == ViewKind::concat) view.concat_shows = ConcatShows::concat;
  view.heads_show = heads_of_picture(spec.view);
  if (spec.view == ViewKind::text) {
    view.text.heads = spec.heads_shown;
  } else {
    const bool selected_alone = spec.heads_shown && *spec.heads_shown == std::vector{spec.head};
    view.arcs_chosen = spec.heads_shown ? !selected_alone : spec.view == ViewKind::arcs;
    view.arcs_heads = view.arcs_chosen ? spec.heads_shown : std::nullopt;
  }
  view.text.along = spec.along;
  view.text.combined = spec.combined;
  view.arcs_hide_below = spec.hide_below;
  view.arcs_sentences = spec.sentences;
  view.main_view = main_view_of_picture(spec.view);
  if (spec.view == ViewKind::attribution) apply_attribution(view, spec);
  if (spec.view == ViewKind::lens) view.lens.of = spec.question.lens_of;
  if (spec.view == ViewKind::sweep) apply_sweep(view, spec.question);
  if (spec.view == ViewKind::score) view.score = {spec.question.by.value_or(AttributionBy::heads), {}};
  if (spec.view == ViewKind::composition) {
    view.circuits = CircuitsView();
    view.circuits.reads = spec.question.reads.value_or(CompositionKind::key);
  }
  view.sensitivity_by = spec.by;
  view.layers.aggregate = spec.aggregate;
  view.batch = spec.batch;
  view.head = spec.head;
  (has_weight_colors(spec.view, spec.stage) ? view.weight_map : view.signed_map) = spec.colormap;
  view.stage_range.reset();
  if (is_score_like(spec.stage)) {
    view.range_fixed = spec.range == RangeKind::fixed;
    view.range = view.range_fixed ? RangeKind::automatic : spec.range;
    view.range_low = spec.range_low;
    view.range_high = spec.range_high;
  } else if (spec.range == RangeKind::fixed || spec.range == RangeKind::fit) {
    view.stage_range = RangeOfStage{spec.stage, spec.range, spec.range_low, spec.range_high};
  }
  view.log_scale = spec.log_scale;
  // What was picked or zoomed into belongs to another tensor.
  view.cell.reset();
  if (spec.token && is_score_like(view.stage))
    // The key is not kept: the strongest one. The query of a column is not kept either.
    view.cell =
        spec.view == ViewKind::text && spec.along == TextAlong::column ? Cell{0, *spec.token} : Cell{*spec.token, -1};
  // A place that is counted from the end is settled only with the result, which is not here.
  const bool settled = std::all_of(spec.at.begin(), spec.at.end(), [](std::int64_t at) { return at >= 0; });
  if (settled && spec.view == ViewKind::score && spec.at.size() == 2) view.cell = Cell{spec.at[0], spec.at[1]};
  if (settled && spec.at.size() >= 3) view.cell = Cell{spec.at[spec.at.size() - 2], spec.at.back()};
  view.viewport = {};
  view.stage_viewport = {};
}

std::optional<Ablation> ablation_of(const SweepView& sweep) {
  if (sweep.numbers == SweepNumbers::zeros) return Ablation::zero;
  if (sweep.numbers == SweepNumbers::means) return Ablation::mean;
  return std::nullopt;
}

std::optional<std::string> metric_text(const SweepView& sweep) {
  return metric_text(sweep.measure, sweep.measure == SweepMeasure::cell ? sweep.number : sweep.tokens);
}

std::optional<std::string> metric_text(SweepMeasure measure, const std::string& typed) {
  const bool alone = measure == SweepMeasure::usual || measure == SweepMeasure::loss || measure == SweepMeasure::kl;
  if (!alone && typed.empty()) return std::nullopt;
  switch (measure) {
    case SweepMeasure::usual:
      return "";
    case SweepMeasure::logit:
      return "logit:" + typed;
    case SweepMeasure::probability:
      return "prob:" + typed;
    case SweepMeasure::loss:
      return "loss";
    case SweepMeasure::kl:
      return "kl";
    case SweepMeasure::cell:
      return "cell:" + typed;
  }
  return std::nullopt;
}

}  // namespace headscope

// The picture that an export choice names, as the view shows it.
#include <fmt/format.h>

#include <algorithm>

#include "app/session/background/models/predictions.h"
#include "app/session/export/export_job.h"
#include "app/session/export/export_parts.h"
#include "app/session/score_cell.h"
#include "core/attention/model_trace.h"
#include "core/attention/stage_layout.h"
#include "core/heads/sentences.h"
#include "core/heads/shown_weights.h"
#include "core/picture/paper.h"
#include "core/picture/view_options.h"

namespace headscope {
namespace {

// What a subject's picture takes from the choice and the view.
struct Subject {
  const ExportChoice& choice;
  const ViewState& view;
  const Trace& trace;
  // Grouped keys and values have fewer slices than there are heads.
  std::int64_t slice(StageId stage) const {
    return trace.find(stage) != nullptr ? slice_of_head(trace, stage, view.head) : view.head;
  }
};

// The range is found anew: of what differs around zero, of probabilities, of lines.
void find_range(ViewSpec& spec) {
  spec.range = RangeKind::automatic;
  spec.log_scale = false;
}

void set_stage(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::stage;
  spec.head = of.slice(spec.stage);
}

void set_difference(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::difference;
  spec.colormap = of.view.signed_map;
  spec.head = of.slice(spec.stage);
  find_range(spec);
}

void set_of_a_cell(ViewSpec& spec, const Subject&) {
  find_range(spec);
}

void set_head(ViewSpec& spec, const Subject&) {
  spec.view = ViewKind::head;
}

void set_heads(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::heads;
  find_view_option("heads-shown")->set(spec, of.choice.heads);
}

void set_concat(ViewSpec& spec, const Subject&) {
  spec.view = spec.stage == StageId::output ? ViewKind::stage : ViewKind::concat;
}

// Cells and range are the grid's.
void set_neurons(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::neurons;
  find_range(spec);
  if (of.view.cell && is_score_like(of.view.stage)) spec.token = of.view.cell->row;
}

void set_arcs(ViewSpec& spec, const Subject& of) {
  set_neurons(spec, of);
  spec.view = ViewKind::arcs;
  spec.heads_shown = of.view.arcs_chosen ? of.view.arcs_heads : std::vector{of.view.head};
}

void set_words(ViewSpec& spec, const Subject& of) {
  set_text(spec, of.view);
}

void set_lens(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::lens;
  spec.question.lens_of = of.view.lens.of;
  spec.colormap = of.view.weight_map;
  spec.range = RangeKind::automatic;
}

// Of the lens's tokens, which are named, at its position.
void set_attribution(ViewSpec& spec, const Subject& of) {
  const LensView& lens = of.view.lens;
  spec.view = ViewKind::attribution;
  spec.question.lens_of = LensOf::layers;
  spec.colormap = of.view.signed_map;
  find_range(spec);
  const bool usual = lens.position < 0 && of.trace.model != nullptr;
  const std::int64_t position = usual ? predicted_position(*of.trace.model) : lens.position;
  spec.at = {std::clamp<std::int64_t>(position, 0, std::max<std::int64_t>(of.trace.query_len() - 1, 0))};
  const std::size_t named = lens.loss ? std::min<std::size_t>(1, lens.tokens.size()) : lens.tokens.size();
  spec.question.tokens =
      fmt::format("{}", fmt::join(lens.tokens.begin(), lens.tokens.begin() + static_cast<std::ptrdiff_t>(named), ","));
  spec.question.loss = lens.loss;
  spec.question.by = lens.by;
}

void set_sweep(ViewSpec& spec, const Subject& of) {
  const SweepView& sweep = of.view.sweep;
  spec.view = ViewKind::sweep;
  spec.colormap = of.view.signed_map;
  find_range(spec);
  spec.question.patch = sweep.patch;
  spec.question.metric = metric_text(sweep).value_or("");
  spec.question.direction = sweep.numbers == SweepNumbers::b_into_a ? SweepDirection::noise : SweepDirection::denoise;
  spec.question.ablation = ablation_of(sweep);
  if (sweep.patch == SweepPatch::paths) (sweep.into ? spec.question.into : spec.question.from) = sweep.end;
}

// Of the picked cell; without one, of the last query and its strongest key.
void set_score(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::score;
  spec.colormap = of.view.signed_map;
  find_range(spec);
  const Cell cell = score_cell(of.trace, of.view);
  spec.at = {cell.row, cell.column};
  spec.question.by = of.view.score.by;
}

void set_composition(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::composition;
  spec.colormap = of.view.signed_map;
  find_range(spec);
  spec.question.reads = of.view.circuits.reads;
}

void set_scatter(ViewSpec& spec, const Subject&) {
  spec.view = ViewKind::scatter;
}

void set_corpus(ViewSpec& spec, const Subject& of) {
  spec.view = ViewKind::stage;
  spec.colormap = of.view.weight_map;
  find_range(spec);
}

struct SubjectFigure {
  ExportSubject subject;
  void (*set)(ViewSpec& spec, const Subject& of);
};

// Other subjects are pictures of a stage.
constexpr SubjectFigure kFigures[] = {
    {ExportSubject::difference, set_difference},
    {ExportSubject::sensitivity, set_of_a_cell},
    {ExportSubject::explanation, set_of_a_cell},
    {ExportSubject::head, set_head},
    {ExportSubject::heads, set_heads},
    {ExportSubject::concat, set_concat},
    {ExportSubject::arcs, set_arcs},
    {ExportSubject::neurons, set_neurons},
    {ExportSubject::text, set_words},
    {ExportSubject::lens, set_lens},
    {ExportSubject::attribution, set_attribution},
    {ExportSubject::sweep, set_sweep},
    {ExportSubject::score, set_score},
    {ExportSubject::composition, set_composition},
    {ExportSubject::scatter, set_scatter},
    {ExportSubject::corpus, set_corpus},
};

}  // namespace

std::optional<ViewSpec> figure_of(const ExportChoice& choice, const Trace& trace, const ViewState& view) {
  const bool page = choice.format == ExportFile::html;
  if (!(page || is_picture(choice.format)) || choice.subject == ExportSubject::window) return std::nullopt;
  ViewSpec spec = choice.subject == ExportSubject::sensitivity   ? sensitivity_spec(trace, view)
                  : choice.subject == ExportSubject::explanation ? explanation_spec(trace, view)
                                                                 : view_spec_of(view, choice.theme);
  if (choice.subject != ExportSubject::text) spec.heads_shown.reset();
  if (!page) spec.paper = choice.paper;
  spec.scale = page || is_for_paper(spec) ? 1 : choice.scale;
  if (page && spec.range == RangeKind::fit) spec.range = RangeKind::automatic;  // it has no window to fit to
  spec.theme = choice.theme;
  spec.labels = choice.labels;
  spec.color_bar = choice.color_bar;
  spec.stage = exported_stage(choice, view);
  if (spec.view == ViewKind::lens) spec.view = ViewKind::stage;  // beside the lens other pictures are as beside a layer
  spec.colormap = has_weight_colors(spec.view, spec.stage) ? view.weight_map : view.signed_map;
  void (*set)(ViewSpec&, const Subject&) = set_stage;
  for (const SubjectFigure& row : kFigures) {
    if (row.subject == choice.subject) set = row.set;
  }
  set(spec, {choice, view, trace});
  return spec;
}

ViewSpec fitted_view(ViewSpec view, const Trace& trace) {
  if (view.view == ViewKind::heads && view.heads_shown) {
    std::erase_if(*view.heads_shown, [&](std::int64_t head) { return head >= trace.num_heads(); });
    if (view.heads_shown->empty()) view.heads_shown.reset();
  }
  if (view.view != ViewKind::arcs && view.view != ViewKind::neurons && view.view != ViewKind::text) return view;
  const bool of_keys = view.view == ViewKind::text && view.along == TextAlong::column;
  const Showing showing = showing_of(trace.request);
  if (view.token && showing.changes_tokens() && view.view != ViewKind::neurons) {
    const TokenGroups groups = token_groups(showing, trace);
    view.token = group_of(of_keys ? groups.columns : groups.rows, *view.token);
  }
  if (view.token && *view.token >= (of_keys ? trace.key_len() : trace.query_len())) view.token.reset();
  if (view.heads_shown) std::erase_if(*view.heads_shown, [&](std::int64_t head) { return head >= trace.num_heads(); });
  // A text is shaded by at least one head.
  if (view.view == ViewKind::text && view.heads_shown && view.heads_shown->empty()) view.heads_shown.reset();
  if (view.sentences != SentencePair::all && !second_part(trace)) view.sentences = SentencePair::all;
  view.head = std::clamp<std::int64_t>(view.head, 0, std::max<std::int64_t>(trace.num_heads() - 1, 0));
  return view;
}

}  // namespace headscope

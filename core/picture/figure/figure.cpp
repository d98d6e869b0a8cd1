#include "core/picture/figure/figure.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "core/heads/shown_weights.h"
#include "core/picture/figure/corpus_page.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/paper.h"
#include "core/picture/view_options.h"

namespace headscope {

namespace {

constexpr int kLargestSide = 16384;

// As given, before lengths on paper become pixels.
void check_paper(const ViewSpec& view) {
  if (!view.paper.width) return;
  const double pixels = inches_of(*view.paper.width) * pixels_per_inch(view);
  if (!(pixels >= 1 && pixels <= kLargestSide)) {
    throw UsageError("width", fmt::format("{} at {} dpi would be {:.0f} pixels, up to {} can be drawn",
                                          length_text(*view.paper.width), pixels_per_inch(view), pixels, kLargestSide));
  }
}

// A word of --by is of one view, and means nothing in the others that have such words.
void check_by(const ViewSpec& view) {
  struct Words {
    ViewKind view;
    bool given;
    const char* expected;
  };
  const Words all[] = {{ViewKind::sensitivity, view.by.has_value(), "weights or scores"},
                       {ViewKind::attribution, view.question.by.has_value(), "components, heads or sources"},
                       {ViewKind::score, view.question.by.has_value(), "components or heads"},
                       {ViewKind::composition, view.question.reads.has_value(), "query, key or value"}};
  const std::string given = find_view_option("by")->get(view);
  for (const Words& words : all) {
    if (view.view != words.view || words.given || given.empty()) continue;
    throw UsageError("by", fmt::format("found {} with --view {}", given, view_kind_name(view.view)), words.expected);
  }
}

void check(const ViewSpec& view) {
  check_paper(view);
  if (!is_for_paper(view) && !(view.scale >= 0.25 && view.scale <= 8)) {
    throw UsageError(fmt::format("scale: {} asked for, 0.25 to 8 can be drawn", view.scale));
  }
  if (view.cell && (*view.cell < 1 || *view.cell > 1024)) {
    throw UsageError("cell", fmt::format("{} asked for, 1 to 1024 pixels can be drawn", *view.cell));
  }
  if (view.width && (*view.width < 1 || *view.width > kLargestSide)) {
    throw UsageError("width", fmt::format("{} asked for, up to {} pixels can be drawn", *view.width, kLargestSide));
  }
  check_by(view);
  if (view.range == RangeKind::fixed && !(view.range_low < view.range_high)) {
    throw UsageError("range", fmt::format("{},{} asked for, the first must be less than the second", view.range_low,
                                          view.range_high));
  }
}

void check_size(const FigurePlan& plan) {
  if (plan.width > kLargestSide || plan.height > kLargestSide) {
    throw UsageError(
        fmt::format("the picture would be {} x {} pixels, at most {} x {} can be drawn: use a smaller "
                    "--cell, or --width",
                    plan.width, plan.height, kLargestSide, kLargestSide));
  }
}

}  // namespace

std::vector<std::int64_t> shown_heads(const ViewSpec& view, std::int64_t count) {
  if (!view.heads_shown) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (const std::int64_t head : *view.heads_shown) {
    if (head >= count)
      throw UsageError("heads-shown", fmt::format("{} asked for, the heads are 0 to {}", head, count - 1));
  }
  return *view.heads_shown;
}

namespace {

// Views of one stage.
void plan_stage(Sheet& sheet, bool measure, const CancelToken& cancel) {
  const ViewSpec& view = sheet.view;
  const bool of_weights = view.view == ViewKind::arcs || view.view == ViewKind::neurons || view.view == ViewKind::text;
  const StagePicture stage(sheet.trace,
                           of_weights                      ? StageId::weights
                           : view.view == ViewKind::concat ? StageId::concat
                                                           : view.stage,
                           view, cancel);
  const bool has_heads = stage.heads() > 0 && sheet.on_paper();
  switch (view.view) {
    case ViewKind::heads:
      if (has_heads) {
        plan_paper_heads(sheet, stage, heads_of_grid(view, stage));
      } else {
        plan_heads(sheet, stage, measure);
      }
      break;
    case ViewKind::head:
    case ViewKind::stage:
      if (has_heads && view.head >= 0 && view.head < stage.heads()) {
        plan_paper_heads(sheet, stage, {view.head});
      } else {
        plan_map(sheet, stage, measure);
      }
      break;
    case ViewKind::concat:
      plan_concat(sheet, stage, measure);
      break;
    case ViewKind::arcs:
      plan_arcs(sheet, stage, measure);
      break;
    case ViewKind::neurons:
      plan_neurons(sheet, stage, measure);
      break;
    case ViewKind::text:
      plan_text(sheet, stage, measure, cancel);
      break;
    case ViewKind::layers:
    case ViewKind::difference:
    case ViewKind::sensitivity:
    case ViewKind::explanation:
    case ViewKind::lens:
    case ViewKind::attribution:
    case ViewKind::sweep:
    case ViewKind::scatter:
    case ViewKind::composition:
    case ViewKind::score:
      break;
  }
}

}  // namespace

std::vector<std::int64_t> heads_of_grid(const ViewSpec& view, const StagePicture& stage) {
  std::vector<std::int64_t> heads = shown_heads(view, stage.heads());
  if (heads.empty()) throw UsageError("heads-shown", "none asked for, a picture of heads needs at least one");
  return heads;
}

bool draws_shown_weights(const ViewSpec& view) {
  switch (view.view) {
    case ViewKind::arcs:
    case ViewKind::text:
      return true;
    case ViewKind::layers:
      return view.aggregate || is_shown_stage(view.stage);
    case ViewKind::heads:
    case ViewKind::head:
    case ViewKind::stage:
      return is_shown_stage(view.stage);
    case ViewKind::concat:
    case ViewKind::neurons:
    case ViewKind::difference:
    case ViewKind::sensitivity:
    case ViewKind::explanation:
    case ViewKind::lens:
    case ViewKind::attribution:
    case ViewKind::sweep:
    case ViewKind::scatter:
    case ViewKind::composition:
    case ViewKind::score:
      return false;
  }
  return false;
}

namespace {

void plan_view(Sheet& sheet, const FigureSource& source, bool measure) {
  switch (sheet.view.view) {
    case ViewKind::layers:
      return plan_layers(sheet, measure);
    case ViewKind::difference:
      if (source.theirs != nullptr) return plan_theirs(sheet, *source.theirs);
      for (const Trace* each : {&source.trace, source.against}) {
        if (each != nullptr && is_shown_stage(sheet.view.stage)) refuse_showing(each->request, "a difference");
      }
      return plan_difference(sheet, source.against);
    case ViewKind::sensitivity:
      return plan_sensitivity(sheet, sheet.cancel);
    case ViewKind::explanation:
      return plan_explanation(sheet);
    case ViewKind::lens:
      return plan_lens(sheet, measure, sheet.cancel);
    case ViewKind::attribution:
      return plan_attribution(sheet);
    case ViewKind::sweep:
      return plan_sweep(sheet, source);
    case ViewKind::scatter:
      return plan_scatter(sheet);
    case ViewKind::composition:
      return plan_composition(sheet);
    case ViewKind::score:
      return plan_score(sheet);
    default:
      return plan_stage(sheet, measure, sheet.cancel);
  }
}

}  // namespace

FigurePlan figure_plan(const FigureSource& source, const ViewSpec& asked, bool measure, const CancelToken& cancel) {
  check(asked);
  if (source.corpus != nullptr) return corpus_plan(*source.corpus, asked);
  const ViewSpec view = in_pixels(asked);
  const bool without_values = measure && !is_for_paper(view);  // the caption's height depends on its words
  const bool shown = draws_shown_weights(view) && shows_otherwise(source.trace);
  const AsShown looked_at(source.trace, shown ? HiddenColumns::removed : std::optional<HiddenColumns>());
  const AsShown measured(source.trace, shown ? HiddenColumns::zero : std::optional<HiddenColumns>());
  Sheet sheet(looked_at.trace(), view);
  sheet.measured = &measured.trace();
  sheet.computed = &source.trace;
  sheet.cancel = cancel;
  plan_view(sheet, source, without_values);
  sheet.finish();
  check_size(sheet.plan);
  if (!without_values) choose_cell_numbers(sheet.plan, cancel);
  return std::move(sheet.plan);
}

Image draw_figure(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  return drawn_whole(figure_rows(source, view, cancel));
}

PictureRows figure_rows(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  return plan_rows(figure_plan(source, view, false, cancel), cancel);
}

namespace {

using WritePlan = void(std::ostream&, const FigurePlan&, const std::map<std::string, std::string>&, const CancelToken&,
                       const std::function<void(double)>&);

FigureDocument document_of(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel,
                           WritePlan* write) {
  const auto plan = std::make_shared<const FigurePlan>(figure_plan(source, view, false, cancel));
  return {plan->width, plan->height,
          [plan, cancel, write](std::ostream& out, const auto& recipe, const auto& progress) {
            write(out, *plan, recipe, cancel, progress);
          }};
}

}  // namespace

FigureDocument figure_svg(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  return document_of(source, view, cancel, write_svg);
}

FigureDocument figure_pdf(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  return document_of(source, view, cancel, write_pdf);
}

FigureSize figure_size(const FigureSource& source, const ViewSpec& view) {
  const FigurePlan plan = figure_plan(source, view, true);
  return {plan.width, plan.height};
}

}  // namespace headscope

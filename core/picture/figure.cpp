#include "core/picture/figure.h"

#include <fmt/format.h>

#include <cmath>

#include "core/picture/figure_views.h"

namespace headscope {

namespace {

constexpr int kLargestSide = 16384;

void check(const ViewSpec& view) {
  if (!(view.scale >= 0.25 && view.scale <= 8)) {
    throw UsageError(fmt::format("scale: {} asked for, 0.25 to 8 can be drawn", view.scale));
  }
  if (view.cell && (*view.cell < 1 || *view.cell > 1024)) {
    throw UsageError("cell", fmt::format("{} asked for, 1 to 1024 pixels can be drawn", *view.cell));
  }
  if (view.width && (*view.width < 1 || *view.width > kLargestSide)) {
    throw UsageError("width", fmt::format("{} asked for, up to {} pixels can be drawn", *view.width, kLargestSide));
  }
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

FigurePlan figure_plan(const FigureSource& source, const ViewSpec& view, bool measure, const CancelToken& cancel) {
  check(view);
  const Trace& trace = source.trace;
  Sheet sheet(trace, view);
  const bool of_one_stage =
      view.view != ViewKind::layers && view.view != ViewKind::difference && view.view != ViewKind::sensitivity;
  if (!of_one_stage) {
    if (view.view == ViewKind::layers) plan_layers(sheet, measure);
    if (view.view == ViewKind::difference) plan_difference(sheet, source.against);
    if (view.view == ViewKind::sensitivity) plan_sensitivity(sheet, cancel);
    check_size(sheet.plan);
    return std::move(sheet.plan);
  }
  const bool of_weights = view.view == ViewKind::arcs || view.view == ViewKind::neurons;
  const StagePicture stage(trace,
                           of_weights                      ? StageId::weights
                           : view.view == ViewKind::concat ? StageId::concat
                                                           : view.stage,
                           view);
  switch (view.view) {
    case ViewKind::heads:
      plan_heads(sheet, stage, measure);
      break;
    case ViewKind::head:
    case ViewKind::stage:
      plan_map(sheet, stage, measure);
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
    case ViewKind::layers:
    case ViewKind::difference:
    case ViewKind::sensitivity:
      break;
  }
  check_size(sheet.plan);
  return std::move(sheet.plan);
}

Image draw_figure(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  return drawn_whole(figure_rows(source, view, cancel));
}

PictureRows figure_rows(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  return plan_rows(figure_plan(source, view, false, cancel), cancel);
}

FigureSvg figure_svg(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  const auto plan = std::make_shared<const FigurePlan>(figure_plan(source, view, false, cancel));
  return {plan->width, plan->height, [plan, cancel](std::ostream& out, const auto& recipe, const auto& progress) {
            write_svg(out, *plan, recipe, cancel, progress);
          }};
}

FigureSize figure_size(const FigureSource& source, const ViewSpec& view) {
  const FigurePlan plan = figure_plan(source, view, true);
  return {plan.width, plan.height};
}

}  // namespace headscope

#include "core/picture/figure/head_look.h"

#include <optional>

#include "core/attention/weight_rows.h"
#include "core/heads/head_metric_rows.h"
#include "core/picture/map_pixels.h"

namespace headscope {
namespace {

// The rows of the weights that `spec` draws; null where it draws others, or where they must be read.
WeightRows rows_of_sheet(const Sheet& sheet, const StagePicture& stage, const HeatmapSpec& spec) {
  if (stage.stage() != StageId::weights || stage.heads() == 0) return nullptr;
  return weight_rows_of(sheet.trace, spec.batch, spec.head);
}

Range all_rows(const Trace& trace) {
  return {0, trace.query_len()};
}

}  // namespace

HeadSummary look_at_head(const Sheet& sheet, const StagePicture& stage, std::int64_t head, HeatmapSpec& spec) {
  const Trace& measured = *sheet.measured;
  const WeightRows rows = &measured == &sheet.trace ? rows_of_sheet(sheet, stage, spec) : nullptr;
  if (rows == nullptr) return summarize_head(measured, sheet.view.batch, head, sheet.cancel);
  MapPixels pixels(spec);
  if (!pixels.possible()) return summarize_head(measured, sheet.view.batch, head, sheet.cancel);
  const TokenPlaces places(measured);
  HeadMetricRows metrics(measured, sheet.view.batch, head, places);
  const auto add = [&](const WeightRow& row) {
    pixels.add(row);
    metrics.add(row);
  };
  if (!rows(all_rows(measured), add, sheet.cancel)) {
    return summarize_head(measured, sheet.view.batch, head, sheet.cancel);
  }
  spec.pixels = pixels.pixels();
  return summary_of(metrics.metrics());
}

void choose_pixels(const Sheet& sheet, const StagePicture& stage, HeatmapSpec& spec) {
  const WeightRows rows = rows_of_sheet(sheet, stage, spec);
  if (rows == nullptr) return;
  MapPixels pixels(spec);
  if (!pixels.possible()) return;
  const auto add = [&](const WeightRow& row) { pixels.add(row); };
  if (rows(all_rows(sheet.trace), add, sheet.cancel)) spec.pixels = pixels.pixels();
}

}  // namespace headscope

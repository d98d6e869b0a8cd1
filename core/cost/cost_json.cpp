#include "core/cost/cost_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/cost/cost_formula.h"
#include "core/cost/cost_size.h"
#include "core/cost/cost_words.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers without a point, as far as doubles hold every digit: below 2^53.
Json json_whole(double number) {
  if (std::abs(number) < 9007199254740992.0) return static_cast<std::int64_t>(std::llround(number));
  return number;
}

Json amounts_json(const CostAmounts& of) {
  const std::optional<double> intensity = of.intensity();
  return {{"multiply_adds", json_whole(of.multiply_adds)},
          {"operations", json_whole(of.operations())},
          {"bytes_read", json_whole(of.read)},
          {"bytes_written", json_whole(of.written)},
          {"bytes", json_whole(of.bytes())},
          {"intensity", intensity ? Json(*intensity) : Json(nullptr)},
          {"cache_bytes", json_whole(of.cached)}};
}

Json both_json(const CostAmounts& now, const CostAmounts& twice, double seconds, const MachinePeaks& peaks) {
  Json json = amounts_json(now);
  const bool limited = limit_of(now, peaks) != CostLimit::none;
  json["limited_by"] = limited ? Json(limit_text(now, peaks)) : Json(nullptr);
  json["seconds_at_peak"] = seconds;
  json["twice_as_long"] = amounts_json(twice);
  return json;
}

Json formulas_json(const CostFormulas& of) {
  return {{"multiply_adds", text_of(of.multiply_adds)},
          {"other_operations", text_of(of.others)},
          {"bytes_read", text_of(of.read)},
          {"bytes_written", text_of(of.written)},
          {"cache_bytes", text_of(of.cached)}};
}

}  // namespace

Json cost_json(const CostReport& report) {
  const LayerCost& cost = report.cost;
  const MachinePeaks& peaks = report.peaks;
  Json json = {{"layer", cost.of_model ? Json(cost.layer) : Json(nullptr)},
               {"layers", cost.of_model ? Json(cost.layers) : Json(nullptr)},
               {"notes", cost_sentences(cost)}};
  for (const UsedCostSize& used : cost.sizes) {
    const CostSizeInfo& info = cost_size_info(used.size);
    json["sizes"][std::string(info.symbol)] = {
        {"here", json_whole(used.now)}, {"twice_as_long", json_whole(used.twice)}, {"meaning", info.meaning}};
  }
  json["machine"] = {{"threads", peaks.threads},
                     {"operations_per_second", peaks.operations},
                     {"bytes_per_second", peaks.bytes},
                     {"ridge", peaks.ridge()}};
  for (const StageCost& stage : cost.stages) {
    Json& of = json["stages"][std::string(stage_name(stage.stage))];
    of = both_json(stage.now, stage.twice, seconds_at_peak(stage.now, peaks), peaks);
    of["formulas"] = formulas_json(stage.formulas);
  }
  json["total"] = both_json(cost.now, cost.twice, seconds_at_peak(cost, peaks), peaks);
  json["total"]["formulas"] = formulas_json(cost.formulas);
  const CostAmounts now = in_one_pass(cost.now), twice = in_one_pass(cost.twice);
  json["one_pass"] = both_json(now, twice, seconds_at_peak(now, peaks), peaks);
  return json;
}

}  // namespace headscope

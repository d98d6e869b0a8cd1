#include "core/cost/layer_cost.h"

#include <algorithm>

#include "core/attention/model_trace.h"
#include "core/base/assert.h"
#include "core/cost/cost_row.h"
#include "core/cost/cost_row_parts.h"
#include "core/cost/cost_rows.h"
#include "core/cost/cost_size.h"
#include "core/cost/layer_sizes.h"
#include "core/model/inputs.h"
#include "core/request/mask.h"

namespace headscope {
namespace {

// So many cells of a mask file are gone through; more would be felt in a frame.
constexpr double kMostCells = 1 << 22;

void add(CostFormula& to, const CostFormula& formula) {
  to.insert(to.end(), formula.begin(), formula.end());
}

// Adds their bytes to what goes in one direction, and to what of it are scores.
void add_moved(CostFormula& to, CostFormula& scores, const MovedNumbers& numbers, const CostFacts& facts) {
  CostProduct bytes = numbers.count;
  bytes.factor *= facts.bytes[static_cast<std::size_t>(numbers.from)];
  if (bytes.factor == 0) return;
  to.push_back(bytes);
  if (numbers.scores) scores.push_back(bytes);
}

CostFormulas gathered_formulas(const CostFormulas& of) {
  return {gathered(of.multiply_adds), gathered(of.others),      gathered(of.read),          gathered(of.written),
          gathered(of.cached),        gathered(of.scores_read), gathered(of.scores_written)};
}

CostAmounts amounts_of(const CostFormulas& of, const CostSizes& sizes) {
  const auto value = [&](const CostFormula& formula) { return value_of(formula, sizes); };
  return {value(of.multiply_adds), value(of.others),      value(of.read),          value(of.written),
          value(of.cached),        value(of.scores_read), value(of.scores_written)};
}

StageCost stage_cost(const Stage& stage, const CostFacts& facts) {
  StageCost cost;
  cost.stage = stage.id;
  if (stage.equals_previous) return cost;
  CostFormulas& formulas = cost.formulas;
  for (const CostRow& row : cost_rows()) {
    if (row.stage != stage.id || (row.applies != nullptr && !row.applies(facts))) continue;
    if (!row.step.empty()) cost.steps.push_back(row.step);
    add(formulas.multiply_adds, row.multiply_adds);
    add(formulas.others, row.others);
    for (const MovedNumbers& numbers : row.reads) add_moved(formulas.read, formulas.scores_read, numbers, facts);
    if (row.writes) add_moved(formulas.written, formulas.scores_written, cost_parts::moved(row.stage), facts);
    for (CostProduct numbers : row.cached) {
      numbers.factor *= facts.bytes[static_cast<std::size_t>(CostTensor::stage)];
      formulas.cached.push_back(numbers);
    }
  }
  formulas = gathered_formulas(formulas);
  return cost;
}

void add(CostFormulas& to, const CostFormulas& of) {
  add(to.multiply_adds, of.multiply_adds);
  add(to.others, of.others);
  add(to.read, of.read);
  add(to.written, of.written);
  add(to.cached, of.cached);
  add(to.scores_read, of.scores_read);
  add(to.scores_written, of.scores_written);
}

std::vector<UsedCostSize> used_sizes(const CostFormulas& formulas, const CostSizes& now, const CostSizes& twice) {
  std::vector<UsedCostSize> used;
  for (const CostSizeInfo& info : cost_size_infos()) {
    const auto names = [&](const CostFormula& formula) {
      return std::any_of(formula.begin(), formula.end(), [&](const CostProduct& product) {
        return std::find(product.sizes.begin(), product.sizes.end(), info.size) != product.sizes.end();
      });
    };
    const auto all = {&formulas.multiply_adds, &formulas.others, &formulas.read, &formulas.written, &formulas.cached};
    if (std::none_of(all.begin(), all.end(), [&](const CostFormula* formula) { return names(*formula); })) continue;
    const auto at = static_cast<std::size_t>(info.size);
    used.push_back({info.size, now[at], twice[at]});
  }
  return used;
}

std::optional<double> visible_share(const Trace& trace) {
  const HiddenCells& hidden = trace.mask->hidden;
  if (!hidden.any()) return 1;
  const double matrix = static_cast<double>(hidden.query_len()) * static_cast<double>(hidden.key_len());
  const double matrices = static_cast<double>(hidden.batch()) * static_cast<double>(hidden.heads());
  if (matrix * matrices == 0) return std::nullopt;
  if (!hidden.visible_keys(0, 0, 0) && matrix * matrices > kMostCells) return std::nullopt;
  double count = 0;
  for (std::int64_t b = 0; b < hidden.batch(); ++b) {
    for (std::int64_t h = 0; h < hidden.heads(); ++h) count += static_cast<double>(hidden.hidden_count(b, h));
  }
  return 1 - count / (matrix * matrices);
}

}  // namespace

std::optional<double> CostAmounts::intensity() const {
  if (bytes() == 0) return std::nullopt;
  return operations() / bytes();
}

const StageCost* LayerCost::find(StageId stage) const {
  const auto found = std::find_if(stages.begin(), stages.end(), [&](const StageCost& of) { return of.stage == stage; });
  return found == stages.end() ? nullptr : &*found;
}

CostAmounts in_one_pass(const CostAmounts& amounts) {
  CostAmounts fewer = amounts;
  fewer.read -= amounts.scores_read;
  fewer.written -= amounts.scores_written;
  fewer.scores_read = fewer.scores_written = 0;
  return fewer;
}

std::string no_cost_sentence(const Trace& trace) {
  if (trace.inputs == nullptr || trace.mask == nullptr) return "nothing is computed yet";
  if (trace.model != nullptr && trace.model->captured) {
    return "a capture holds stages that other code computed, and does not say how";
  }
  return "";
}

LayerCost layer_cost(const Trace& trace) {
  const std::string why = no_cost_sentence(trace);
  HEADSCOPE_ASSERT(why.empty(), why);
  const CostFacts facts = cost_facts_of(trace);
  const CostSizes longer = twice_as_long(facts.sizes, trace);
  LayerCost cost;
  CostFormulas all;
  for (const Stage& stage : trace.stages) {
    cost.stages.push_back(stage_cost(stage, facts));
    StageCost& of = cost.stages.back();
    of.now = amounts_of(of.formulas, facts.sizes);
    of.twice = amounts_of(of.formulas, longer);
    add(all, of.formulas);
  }
  cost.formulas = gathered_formulas(all);
  cost.now = amounts_of(cost.formulas, facts.sizes);
  cost.twice = amounts_of(cost.formulas, longer);
  cost.sizes = used_sizes(cost.formulas, facts.sizes, longer);
  cost.layer = trace.inputs->layer;
  if (trace.model != nullptr) {
    cost.of_model = true;
    cost.layers = static_cast<std::int64_t>(trace.model->layers.size());
  }
  cost.visible = visible_share(trace);
  return cost;
}

}  // namespace headscope

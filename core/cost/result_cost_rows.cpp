// From weights to what attention gives.
#include <functional>
#include <string_view>
#include <utility>

#include "core/attention/trace.h"
#include "core/cost/cost_row_parts.h"
#include "core/cost/cost_rows.h"
#include "core/cost/cost_size.h"
#include "core/cost/layer_sizes.h"
#include "core/model/architecture.h"
#include "core/model/inputs.h"
#include "core/model/row_norm.h"
#include "core/request/request.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using S = StageId;
using Z = CostSize;
using W = CostTensor;
using namespace cost_parts;

bool norm_is(const CostFacts& of, bool scales, Architecture::Norm kind) {
  const RowNorm* norm = of.trace.inputs->output_norm.get();
  return norm != nullptr && norm->scales == scales && (scales || norm->kind == kind);
}

CostRow norm_row(std::string_view step, std::function<bool(const CostFacts&)> applies, double operations) {
  return {S::attention_norm_out,
          step,
          std::move(applies),
          {},
          {times(operations, numbers_of(S::attention_norm_out))},
          {moved(S::output), weights(W::output_norm, {Z::model_width}), weights(W::output_norm_bias, {Z::model_width})},
          true};
}

}  // namespace

std::vector<CostRow> result_cost_rows() {
  return {
      {S::context,
       "weighted values",
       {},
       {product({Z::batch, Z::heads, Z::queries, Z::keys, Z::value_head_dim})},
       {},
       {moved(S::weights), moved(S::value)},
       true},
      {S::concat,
       "merge of heads",
       [](const CostFacts& of) { return of.trace.request.merge == Merge::transpose; },
       {},
       {},
       {moved(S::context)},
       true},
      {S::output,
       "projection",
       {},
       {product({Z::batch, Z::queries, Z::heads, Z::value_head_dim, Z::model_width})},
       {},
       {moved(S::concat), weights(W::output, {Z::model_width, Z::heads, Z::value_head_dim}),
        weights(W::output_bias, {Z::model_width})},
       true},
      norm_row(
          "RMS norm", [](const CostFacts& of) { return norm_is(of, false, Architecture::Norm::rms); }, kOfRmsNorm),
      norm_row(
          "LayerNorm", [](const CostFacts& of) { return norm_is(of, false, Architecture::Norm::layer); }, kOfLayerNorm),
      norm_row(
          "learned scale", [](const CostFacts& of) { return norm_is(of, true, Architecture::Norm::rms); }, 1),
  };
}

}  // namespace headscope

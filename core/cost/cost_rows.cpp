#include "core/cost/cost_rows.h"

namespace headscope {

const std::vector<CostRow>& cost_rows() {
  static const std::vector<CostRow> table = [] {
    std::vector<CostRow> all;
    for (const auto& part : {input_cost_rows(), head_cost_rows(), score_cost_rows(), result_cost_rows()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace headscope

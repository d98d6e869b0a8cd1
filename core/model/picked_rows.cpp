#include "core/model/picked_rows.h"

#include <span>
#include <utility>
#include <vector>

#include "core/base/assert.h"

namespace headscope {

Linear picked_rows(const Linear& stored, std::int64_t rows, const std::string& part,
                   std::function<std::int64_t(std::int64_t row)> row_of) {
  if (stored.empty()) return {};
  Linear picked;
  picked.weight_name = stored.weight_name + " (" + part + ")";
  if (!stored.bias.empty()) {
    std::vector<float> bias;
    for (std::int64_t row = 0; row < rows; ++row) bias.push_back(stored.bias.at({row_of(row)}));
    picked.bias = Tensor::of({rows}, {Axis::feature}, std::move(bias));
    picked.bias_name = stored.bias_name + " (" + part + ")";
  }
  const auto read = [weight = stored.weight, row_of = std::move(row_of)](const Region& region, std::span<float> out) {
    const auto width = static_cast<std::size_t>(region[1].size());
    for (std::int64_t row = region[0].begin; row < region[0].end; ++row) {
      const std::int64_t from = row_of(row);
      weight.read({{from, from + 1}, region[1]},
                  out.subspan(static_cast<std::size_t>(row - region[0].begin) * width, width));
    }
  };
  picked.weight = Tensor::computed({rows, stored.weight.dim(1)}, stored.weight.axes(), read);
  return picked;
}

UngroupedRows ungrouped_rows(const Linear& stored, std::int64_t groups, std::int64_t head_dim) {
  if (stored.empty()) return {};
  const std::int64_t in_group = stored.weight.dim(0) / groups, queries = in_group - 2 * head_dim;
  HEADSCOPE_ASSERT(in_group * groups == stored.weight.dim(0) && queries > 0 && queries % head_dim == 0,
                   to_string(stored.weight.shape()) + " in " + std::to_string(groups) + " groups");
  const auto from = [in_group](std::int64_t rows, std::int64_t begin) {
    return [=](std::int64_t row) { return row / rows * in_group + begin + row % rows; };
  };
  return {picked_rows(stored, groups * queries, "queries", from(queries, 0)),
          picked_rows(stored, groups * head_dim, "keys", from(head_dim, queries)),
          picked_rows(stored, groups * head_dim, "values", from(head_dim, queries + head_dim))};
}

}  // namespace headscope

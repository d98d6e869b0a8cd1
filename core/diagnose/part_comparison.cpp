#include "core/diagnose/part_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/dump_places.h"
#include "core/diagnose/tolerance.h"
#include "core/diagnose/where.h"

namespace headscope {
namespace {

WideStage wide(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  return {tensor.shape(), {values.begin(), values.end()}};
}

}  // namespace

PartComparison compared_part(DumpPart part, const PartSides& sides, const DiagnoseOptions& options) {
  PartComparison result;
  result.part = part;
  result.name = dump_part_name(part, sides.stage);
  const WideStage ours = wide(sides.ours), theirs = wide(sides.theirs), moved = wide(sides.drifted);
  const std::optional<NumberFormat> format = format_named(options.format, sides.theirs.values());
  if (!format) throw UsageError("theirs-format", fmt::format("'{}' is not a known value", options.format));
  result.format = *format;
  // Numbers that float32 has, too, say nothing of another format: rows of a table of words that is stored in two bytes.
  if (!options.tolerance && compare_stage(ours, nullptr, theirs, {NumberFormat(), {}, {}, {}, {}}, {}).wrong == 0) {
    result.format = NumberFormat();
  }
  WideStage rounded = ours;
  if (result.format.grid != nullptr) {
    for (double& value : rounded.values) value = rounded_to(*result.format.grid, value);
  }
  Tolerance tolerance(result.format, options.tolerance, ours, rounded, {});
  tolerance.allow(largest_share(ours, moved, {}));
  Shape shape = theirs.shape;
  shape[1] += sides.first_row;
  WhereFinder where(StageId::output, shape, 0, result.name);
  const auto visit = [&](std::size_t place, double a, double b) {
    Index at = theirs.shape;
    for (int k = theirs.shape.count - 1; k >= 0; --k) {
      at[k] = static_cast<std::int64_t>(place) % theirs.shape[k];
      place /= static_cast<std::size_t>(theirs.shape[k]);
    }
    at[1] += sides.first_row;
    where.add(at, a, b);
  };
  const Remainder left = compare_stage(ours, nullptr, theirs, tolerance, {}, {visit, nullptr});
  result.max_difference = left.largest;
  result.allowed = left.allowed;
  result.where = where.found(0);
  result.equal = result.where.cells == 0;
  return result;
}

}  // namespace headscope

#include "core/export/model_stage_files.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/io/csv.h"
#include "core/io/json_tensor.h"
#include "core/io/npy.h"
#include "core/io/tensor_blocks.h"

namespace headscope {
namespace {

// A matrix of each layer and item of the batch; the axis of layers takes the place of heads.
MatrixLayout layout_of(const ModelStageInfo& info) {
  MatrixLayout layout;
  layout.head = info.by_layers() ? 0 : -1;
  layout.batch = info.by_layers() ? 1 : 0;
  layout.rows = layout.batch + 1;
  layout.columns = layout.batch + 2;
  return layout;
}

Range range_on(Range wanted, std::int64_t size, std::string_view stage, const char* axis) {
  if (0 <= wanted.begin && wanted.begin < wanted.end && wanted.end <= size) return wanted;
  throw UsageError("region", fmt::format("{} {}:{} of {}, which has {}", axis, wanted.begin, wanted.end, stage, size),
                   fmt::format("a part that is not empty, within 0:{}", size));
}

Region region_of(const ModelStage& stage, const std::optional<ExportRegion>& wanted) {
  const ModelStageInfo& info = model_stage_info(stage.id);
  const MatrixLayout layout = layout_of(info);
  Region region = whole(stage.tensor.shape());
  if (!wanted) return region;
  if (wanted->head) {
    throw UsageError("region", fmt::format("found head {}, but {} has no heads", *wanted->head, info.name),
                     "B,:,I0:I1,J0:J1, with positions and features");
  }
  const auto limit = [&](int axis, const std::optional<Range>& range, const char* name) {
    if (range) region[axis] = range_on(*range, stage.tensor.dim(axis), info.name, name);
  };
  const std::optional<std::int64_t>& batch = wanted->batch;
  limit(layout.batch, batch ? std::optional<Range>({*batch, *batch + 1}) : std::nullopt, "batch");
  limit(layout.rows, wanted->rows, "rows");
  limit(layout.columns, wanted->columns, "columns");
  return region;
}

void write_matrices(const ExportedModelStage& exported, const ModelStageWriting& writing, const CancelToken& cancel) {
  const MatrixLayout layout = layout_of(model_stage_info(exported.stage->id));
  const Region& region = exported.region;
  const Range rows = region[layout.rows], columns = region[layout.columns], batches = region[layout.batch];
  const Range layers = layout.head >= 0 ? region[layout.head] : Range{0, 1};
  const std::vector<std::string> row_names(writing.tokens.begin() + rows.begin, writing.tokens.begin() + rows.end);
  std::vector<std::string> column_names;
  for (std::int64_t d = columns.begin; d < columns.end; ++d) column_names.push_back(std::to_string(d));
  for (std::int64_t layer = layers.begin; layer < layers.end; ++layer) {
    for (std::int64_t b = batches.begin; b < batches.end; ++b) {
      const std::string of_layer = layout.head >= 0 ? fmt::format(".l{}", layer) : "";
      writing.add(fmt::format("{}{}.b{}.csv", exported.name(), of_layer, b), [&](std::ostream& out) {
        write_csv_matrix(out, matrix_of(writing.tensor, layout, b, layer, rows, columns), "token\\feature", row_names,
                         column_names, cancel);
      });
    }
  }
}

}  // namespace

std::vector<ExportedModelStage> exported_model_stages(const ExportPlan& plan) {
  std::vector<ExportedModelStage> stages;
  for (const ModelStage& stage : plan.model_stages) stages.push_back({&stage, region_of(stage, plan.region)});
  return stages;
}

void write_model_stage(const ExportedModelStage& exported, ExportFormat format, const ModelStageWriting& writing,
                       const CancelToken& cancel) {
  const ModelStageInfo& info = model_stage_info(exported.stage->id);
  const std::string name(info.name);
  switch (format) {
    case ExportFormat::csv_matrix:
      return write_matrices(exported, writing, cancel);
    case ExportFormat::csv_long:
      return writing.add(name + ".csv", [&](std::ostream& out) {
        MatrixLayout layout = layout_of(info);
        if (info.by_layers()) std::swap(layout.batch, layout.head);  // the layer stands first
        write_csv_long(out,
                       {.holds = info.by_layers() ? TableOf::layers : TableOf::vectors,
                        .layout = layout,
                        .tensor = writing.tensor,
                        .region = exported.region,
                        .row_names = writing.tokens},
                       cancel);
      });
    case ExportFormat::npy:
      return writing.add(name + ".npy",
                         [&](std::ostream& out) { write_npy(out, part_of(writing.tensor, exported.region), cancel); });
    case ExportFormat::json:
      return writing.add(name + ".json", [&](std::ostream& out) {
        write_json_tensor(out, name, part_of(writing.tensor, exported.region), cancel);
      });
    case ExportFormat::safetensors:
      return;
  }
}

}  // namespace headscope

#include "core/export/export_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/attention/stage_layout.h"
#include "core/base/error.h"
#include "core/base/version.h"
#include "core/io/json_text.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_blocks.h"

namespace headscope {

namespace {

std::string names_of(const Trace& trace) {
  std::string names;
  for (const Stage& stage : trace.stages) names += fmt::format("{}{}", names.empty() ? "" : ", ", stage_name(stage.id));
  return names;
}

std::vector<StageId> chosen_stages(const Trace& trace, const ExportPlan& plan) {
  std::vector<StageId> chosen;
  if (plan.no_stages) return chosen;
  for (const StageId id : plan.stages) {
    if (trace.find(id) == nullptr) {
      throw UsageError("export", fmt::format("this request has no stage '{}'", stage_name(id)),
                       fmt::format("of: {}", names_of(trace)));
    }
    if (std::find(chosen.begin(), chosen.end(), id) == chosen.end()) chosen.push_back(id);
  }
  if (!chosen.empty() || !plan.model_stages.empty()) return chosen;
  for (const Stage& stage : trace.stages) chosen.push_back(stage.id);
  return chosen;
}

// `wanted` on one axis; with `strict` it must lie within [0, size), else what does is kept.
Range range_on(Range wanted, std::int64_t size, bool strict, StageId stage, const char* axis) {
  const bool inside = 0 <= wanted.begin && wanted.begin < wanted.end && wanted.end <= size;
  if (strict && !inside) {
    throw UsageError(
        "region", fmt::format("{} {}:{} of {}, which has {}", axis, wanted.begin, wanted.end, stage_name(stage), size),
        fmt::format("a part that is not empty, within 0:{}", size));
  }
  const std::int64_t begin = std::clamp<std::int64_t>(wanted.begin, 0, size);
  return {begin, std::clamp<std::int64_t>(wanted.end, begin, size)};
}

Region region_of(const Trace& trace, StageId id, const ExportPlan& plan) {
  const Tensor& tensor = trace.tensor(id);
  const MatrixLayout layout = stage_layout(id);
  Region region = whole(tensor.shape());
  if (!plan.region || layout.head < 0) return region;
  const bool strict = !plan.stages.empty() || is_score_like(id);
  const auto limit = [&](int axis, const std::optional<Range>& wanted, const char* name) {
    if (wanted) region[axis] = range_on(*wanted, tensor.dim(axis), strict, id, name);
  };
  const auto single = [](std::optional<std::int64_t> at) {
    return at ? std::optional<Range>({*at, *at + 1}) : std::nullopt;
  };
  limit(layout.batch, single(plan.region->batch), "batch");
  limit(layout.head, single(plan.region->head), "head");
  limit(layout.rows, plan.region->rows, "rows");
  limit(layout.columns, plan.region->columns, "columns");
  return region;
}

// Bytes of text, roughly: a float32 takes eleven in the mean, and a comma.
std::int64_t text_bytes(std::int64_t cells, std::int64_t per_cell) {
  return 64 + cells * per_cell;
}

std::int64_t range_count(const Range& rows, const Range& columns) {
  return rows.size() * columns.size();
}

}  // namespace

std::string region_text(const ExportRegion& region) {
  const auto index = [](const std::optional<std::int64_t>& at) { return at ? std::to_string(*at) : std::string(":"); };
  const auto range = [](const std::optional<Range>& part) {
    return part ? fmt::format("{}:{}", part->begin, part->end) : std::string(":");
  };
  return fmt::format("{},{},{},{}", index(region.batch), index(region.head), range(region.rows), range(region.columns));
}

std::vector<ExportedStage> exported_stages(const Trace& trace, const ExportPlan& plan) {
  std::vector<ExportedStage> stages;
  for (const StageId id : chosen_stages(trace, plan)) {
    const ExportedStage stage{id, region_of(trace, id, plan), std::string(stage_name(id))};
    if (element_count(stage.region) > 0) stages.push_back(stage);
  }
  return stages;
}

std::vector<ExportedPart> exported_parts(const Trace& trace, const ExportPlan& plan) {
  std::vector<ExportedPart> parts;
  if (plan.layers.empty()) {
    ExportedPart part{trace_to_export(trace), {}};
    part.stages = exported_stages(part.of.trace, plan);
    parts.push_back(std::move(part));
    return parts;
  }
  for (const StageId id : plan.stages) {
    const bool has = std::any_of(plan.layers.begin(), plan.layers.end(),
                                 [&](const auto& layer) { return layer->find(id) != nullptr; });
    if (has) continue;
    throw UsageError("export", fmt::format("these layers have no stage '{}'", stage_name(id)),
                     fmt::format("of: {}", names_of(*plan.layers.front())));
  }
  for (const std::shared_ptr<const Trace>& layer : plan.layers) {
    ExportedPart part{trace_to_export(*layer), {}};
    ExportPlan own = plan;
    std::erase_if(own.stages, [&](StageId id) { return part.of.trace.find(id) == nullptr; });
    if (!own.stages.empty() || plan.stages.empty()) part.stages = exported_stages(part.of.trace, own);
    for (ExportedStage& stage : part.stages) stage.name += fmt::format(".l{}", layer->inputs->layer);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Slice> slices_of(const ExportedStage& stage) {
  const MatrixLayout layout = stage_layout(stage.id);
  const Range heads = layout.head >= 0 ? stage.region[layout.head] : Range{0, 1};
  std::vector<Slice> slices;
  for (std::int64_t b = stage.region[layout.batch].begin; b < stage.region[layout.batch].end; ++b) {
    for (std::int64_t h = heads.begin; h < heads.end; ++h) {
      const std::string head = layout.head >= 0 ? fmt::format(".h{}", h) : "";
      slices.push_back({b, h, fmt::format("{}.b{}{}.csv", stage.name, b, head)});
    }
  }
  return slices;
}

std::map<std::string, std::string> export_metadata(const TraceToExport& of) {
  const auto list = [](const std::vector<std::string>& names) { return json_dump(nlohmann::ordered_json(names)); };
  std::map<std::string, std::string> metadata = {
      {"headscope", kVersion}, {"tokens", list(of.trace.query_labels())}, {"key_tokens", list(of.trace.key_labels())}};
  if (of.groups != nullptr) {
    metadata["weights.tokens"] = list(of.groups->row_labels);
    metadata["weights.key_tokens"] = list(of.groups->column_labels);
  }
  return metadata;
}

std::vector<PlannedFile> planned_files(const Trace& computed, const ExportPlan& plan) {
  const TraceToExport of = trace_to_export(computed);
  const Trace& trace = of.trace;
  std::vector<PlannedFile> files;
  std::vector<Tensor> parts;
  std::vector<NamedTensorRef> refs;
  const std::vector<ExportedStage> stages = exported_stages(trace, plan);
  parts.reserve(stages.size());
  for (const ExportedStage& stage : stages) {
    const std::string name(stage_name(stage.id));
    const MatrixLayout layout = stage_layout(stage.id);
    const std::int64_t cells = element_count(stage.region);
    switch (plan.format) {
      case ExportFormat::csv_matrix:
        for (const Slice& slice : slices_of(stage)) {
          const std::int64_t of_slice = range_count(stage.region[layout.rows], stage.region[layout.columns]);
          files.push_back({slice.name, stage.id, text_bytes(of_slice, 12)});
        }
        break;
      case ExportFormat::csv_long:
        files.push_back({name + ".csv", stage.id, text_bytes(cells, is_score_like(stage.id) ? 34 : 26)});
        break;
      case ExportFormat::npy:
        files.push_back({name + ".npy", stage.id, npy_file_size(shape_of(stage.region))});
        break;
      case ExportFormat::json:
        files.push_back({name + ".json", stage.id, text_bytes(cells, 13)});
        break;
      case ExportFormat::safetensors:
        parts.push_back(part_of(trace.tensor(stage.id), stage.region));
        refs.push_back({name, &parts.back()});
        break;
    }
  }
  if (!refs.empty()) {
    files.push_back({"all.safetensors", stages.front().id, safetensors_file_size(refs, export_metadata(of))});
  }
  return files;
}

}  // namespace headscope

// `run --export`: stages of a trace written to a folder as CSV, NPY, safetensors or JSON, with a manifest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

struct PredictionReport;

enum class ExportFormat { csv_matrix, csv_long, npy, safetensors, json };

// --region B,H,I0:I1,J0:J1; nullopt: all of that axis. Rows and columns are those of a stage's matrices: queries and
// keys, or positions and features.
struct ExportRegion {
  std::optional<std::int64_t> batch, head;
  std::optional<Range> rows, columns;
};

// "0,2,0:4,:" as --region spells it.
std::string region_text(const ExportRegion& region);

struct ExportPlan {
  std::vector<StageId> stages;  // empty: all stages of the trace
  ExportFormat format = ExportFormat::csv_matrix;
  std::optional<ExportRegion> region;  // of the 4-D stages
  std::string folder;
  std::shared_ptr<const PredictionReport> predictions;  // for the manifest; may be null
  bool metrics = false;                                 // manifest.json lists the metrics of every head
};

struct PlannedFile {
  std::string name;                  // within the folder: "weights.b0.h2.csv"; "all.safetensors" holds every stage
  StageId stage;                     // of all.safetensors the first
  std::int64_t estimated_bytes = 0;  // exact for npy and safetensors
};
// The files that would be written besides manifest.json, found without computing or writing: for the dialog. Throws
// UsageError for a stage that the trace lacks and for a region outside a stage that was named. With all stages, the
// region must lie within the score-like ones; of the others (head_dim columns, kv_heads heads) the cells inside the
// region are exported.
std::vector<PlannedFile> planned_files(const Trace& trace, const ExportPlan& plan);

// Writes all of it and manifest.json last; each file appears whole or not at all. `progress` gets the share done in [0,
// 1]. Returns the names of the files. Throws Error, Cancelled; files written before that are removed again.
std::vector<std::string> export_stages(const Trace& trace, const ExportPlan& plan,
                                       const std::function<void(double)>& progress = {},
                                       const CancelToken& cancel = {});

}  // namespace headscope

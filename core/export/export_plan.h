// What an export writes, file by file: decided before anything is computed or written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/model_stages.h"
#include "core/attention/trace.h"
#include "core/heads/shown_weights.h"

namespace headscope {

struct CostReport;
struct LogitLens;
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
  std::vector<StageId> stages;  // empty: all stages of the trace, none of them where there are stages of its model
  bool no_stages = false;       // only what stands beside them is written
  // The stages are those of these traces in place of the trace's own, each named by its layer: "weights.l3". A stage
  // that some of them lack is written of the others. Empty: those of the trace.
  std::vector<std::shared_ptr<const Trace>> layers;
  std::vector<ModelStage> model_stages;  // written beside them
  ExportFormat format = ExportFormat::csv_matrix;
  bool csv_safe = false;               // names that begin like formulas get an apostrophe (safe_text)
  std::optional<ExportRegion> region;  // of the 4-D stages, and of the model's
  std::string folder;
  std::shared_ptr<const PredictionReport> predictions;  // for the manifest; may be null
  std::shared_ptr<const LogitLens> lens;                // likewise
  std::shared_ptr<const CostReport> cost;               // likewise
  bool metrics = false;                                 // manifest.json lists the metrics of every head
  std::vector<std::string> notices;                     // for the manifest: ManifestContents::notices
};

struct PlannedFile {
  std::string name;                  // within the folder: "weights.b0.h2.csv"; "all.safetensors" holds every stage
  StageId stage;                     // of all.safetensors the first
  std::int64_t estimated_bytes = 0;  // exact for npy and safetensors
};
// The files of the trace's stages that would be written besides manifest.json, found without computing or writing: for
// the dialog. Throws UsageError for a stage that the trace lacks and for a region outside a stage that was named. Of
// stages that are shown otherwise than they were computed (core/heads/shown_weights.h) rows and columns are the shown
// ones. With all stages, the region must lie within the score-like ones; of the others (head_dim columns, kv_heads
// heads) the cells inside the region are exported.
std::vector<PlannedFile> planned_files(const Trace& trace, const ExportPlan& plan);

struct ExportedStage {
  StageId id{};
  Region region;     // of its tensor
  std::string name;  // "weights", or of one of ExportPlan::layers "weights.l3"
};

// The stages of the trace, a TraceToExport::trace, that the plan names and that have cells in its region. UsageError as
// planned_files().
std::vector<ExportedStage> exported_stages(const Trace& trace, const ExportPlan& plan);

// The stages that are written of one trace.
struct ExportedPart {
  TraceToExport of;
  std::vector<ExportedStage> stages;
};
// A part for the trace, or one for each of ExportPlan::layers. UsageError as planned_files().
std::vector<ExportedPart> exported_parts(const Trace& trace, const ExportPlan& plan);

// One CSV matrix of a stage.
struct Slice {
  std::int64_t batch = 0, head = 0;
  std::string name;  // "weights.b0.h2.csv"
};
std::vector<Slice> slices_of(const ExportedStage& stage);

// {"headscope": version, "tokens": JSON list, "key_tokens": JSON list} for all.safetensors; where weights are shown
// otherwise than they were computed also "weights.tokens" and "weights.key_tokens", the names of their rows and
// columns.
std::map<std::string, std::string> export_metadata(const TraceToExport& of);

}  // namespace headscope

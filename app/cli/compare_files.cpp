#include "app/cli/compare_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>

#include "app/cli/compare_heads.h"
#include "app/cli/csv_path.h"
#include "app/cli/output.h"
#include "app/cli/stage_arguments.h"
#include "core/attention/stage_layout.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/request/stage_info.h"

namespace headscope::cli {
namespace {

// Why there is no A - B of a stage that both have; "" where there is one.
std::string reason_against(const Comparison& found, StageId stage) {
  if (const StageId shown = shown_by_heads(stage); shown != stage) {
    return fmt::format("{} holds the same numbers, head by head", stage_name(shown));
  }
  const auto compared = std::find_if(found.stages.begin(), found.stages.end(),
                                     [stage](const ComparedStage& each) { return each.stage == stage; });
  HEADSCOPE_ASSERT(compared != found.stages.end(), std::string(stage_name(stage)));
  return compared->incomparable;
}

// A - B of every matrix of a stage as FOLDER/STAGE.b0.h2.difference.csv. Returns how many.
std::int64_t add_differences(const Trace& a, const Trace& b, StageId stage, const std::string& folder,
                             const CancelToken& cancel, FilesTogether& files) {
  const MatrixLayout layout = stage_layout(stage);
  const std::int64_t batch = a.tensor(stage).dim(layout.batch), slices = slice_count(a, stage);
  for (std::int64_t k = 0; k < batch; ++k) {
    for (std::int64_t h = 0; h < slices; ++h) {
      const std::optional<MatrixDifference> found = difference_matrix(a, b, stage, k, h);
      HEADSCOPE_ASSERT(found.has_value(), std::string(stage_name(stage)));  // no reason was against it
      const std::string slice = layout.head < 0 ? "" : fmt::format(".h{}", h);
      const std::string name = fmt::format("{}.b{}{}.difference.csv", stage_name(stage), k, slice);
      files.add((std::filesystem::path(folder) / name).string(), [&](std::ostream& out) {
        write_csv_matrix(out, found->matrix, csv_corner(stage), found->row_labels, found->column_labels, cancel);
      });
    }
  }
  return batch * slices;
}

// Refuses what cannot be subtracted before the folder is made. All files appear, or none.
std::string write_differences(const Trace& a, const Trace& b, const Comparison& found,
                              const std::vector<StageId>& stages, const std::string& folder,
                              const CancelToken& cancel) {
  for (const StageId stage : stages) {
    stage_of(a, stage);
    stage_of(b, stage);
    if (const std::string reason = reason_against(found, stage); !reason.empty()) {
      throw UsageError("stage", fmt::format("{} of these two cannot be subtracted: {}", stage_name(stage), reason));
    }
  }
  const std::vector<std::string> made = make_folder(folder);
  std::int64_t count = 0;
  try {
    FilesTogether files;
    for (const StageId stage : stages) count += add_differences(a, b, stage, folder, cancel, files);
    files.commit();
  } catch (...) {
    std::error_code ignored;
    for (auto each = made.rbegin(); each != made.rend(); ++each) std::filesystem::remove(*each, ignored);
    throw;
  }
  return fmt::format("\nwritten to {}: {}\n", printable(folder), counted(count, "file"));
}

}  // namespace

CompareFiles compare_files(const Arguments& given) {
  CompareFiles written;
  const std::string& out = given.get("out");
  if (given.has("stage") && !given.has("out")) {
    throw UsageError("stage", "found without --out", "--out DIR, the folder to write to");
  }
  if (given.has("out") && out.empty()) throw UsageError("out", "found ''", "the folder to write to");
  if (given.has("out") && !given.has("stage")) {
    if (!has_ending(out, ".csv")) {
      throw UsageError("stage", "missing", "the stages to write to --out, or --out FILE.csv, the heads of two models");
    }
    written.table = out;
    return written;
  }
  if (given.has("stage") && has_ending(out, ".csv")) {
    throw UsageError("out", fmt::format("found '{}' together with --stage, which writes a file for every matrix", out),
                     "a folder; FILE.csv is for the heads of two models, without --stage");
  }
  written.folder = out;
  if (given.has("stage")) written.stages = stages_from("stage", given.get("stage"));
  if (given.has("stage") && written.stages.empty()) {
    throw UsageError("stage", "found 'all'", "the names of the stages to write");
  }
  return written;
}

std::string write_compare_files(const CompareFiles& written, const Trace& a, const Trace& b, const Comparison& found,
                                const ModelDifference& models, const CancelToken& cancel) {
  if (!written.folder.empty()) return write_differences(a, b, found, written.stages, written.folder, cancel);
  if (written.table.empty()) return "";
  if (models.layers.empty()) {
    throw UsageError("out",
                     fmt::format("found {}, and there is no map of heads: {}", written.table,
                                 models.whole_models ? models.missing : "neither is a whole model"),
                     "two models of the same sizes, or --stage and a folder");
  }
  write_csv(written.table, [&] { return heads_of_models_csv(models); });
  return fmt::format("\nwritten to {}\n", printable(written.table));
}

}  // namespace headscope::cli

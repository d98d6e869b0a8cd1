#include "core/export/export_stages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "core/attention/stage_layout.h"
#include "core/attention/stage_statistics.h"
#include "core/export/export_plan.h"
#include "core/export/manifest.h"
#include "core/export/model_stage_files.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/json_tensor.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_blocks.h"
#include "core/request/stage_info.h"
#include "core/tensor/statistics.h"

namespace headscope {

namespace {

// Counts the values that writers read, for the progress bar.
class Progress {
 public:
  Progress(std::int64_t total, const std::function<void(double)>& report) : total_(total), report_(report) {}

  // `tensor`, whose reads are counted, and added to `sum` where there is one.
  Tensor counted(const Tensor& tensor, StatisticsSum* sum) {
    return watched(tensor, [this, sum](std::span<const float> values) {
      if (sum != nullptr) sum->add(values);
      done_ += std::ssize(values);
      report(0);
    });
  }

  // `more` values beside those that writers read.
  void report(double more) const {
    if (report_) report_(std::min(1.0, (static_cast<double>(done_) + more) / static_cast<double>(total_)));
  }

 private:
  std::int64_t total_, done_ = 0;
  const std::function<void(double)>& report_;
};

// The names of [range) of an axis.
std::vector<std::string> part_of_names(const std::vector<std::string>& names, Range range) {
  return {names.begin() + range.begin, names.begin() + range.end};
}

TableOf table_of(StageId stage) {
  if (is_score_like(stage)) return TableOf::scores;
  return stage_info(stage).axes.back().axis == Axis::query ? TableOf::heads : TableOf::vectors;
}

class Exporter {
 public:
  Exporter(const Trace& trace, const ExportPlan& plan, const std::function<void(double)>& progress,
           const CancelToken& cancel)
      : computed_(trace),
        plan_(plan),
        cancel_(cancel),
        parts_(exported_parts(trace, plan)),
        model_stages_(exported_model_stages(plan)),
        progress_(total_values(), progress) {}

  std::vector<std::string> run(const AddFiles& beside) {
    if (plan_.format == ExportFormat::safetensors) {
      if (!plan_.no_stages) add_safetensors();
    } else {
      for (const ExportedPart& part : parts_) {
        for (const ExportedStage& stage : part.stages) add_stage(part, stage);
      }
      for (const ExportedModelStage& stage : model_stages_) add_model_stage(stage);
    }
    ManifestContents contents{.files = written_,
                              .region = plan_.region ? region_text(*plan_.region) : "",
                              .csv_safe = plan_.csv_safe && is_csv(),
                              .predictions = plan_.predictions.get(),
                              .lens = plan_.lens.get(),
                              .metrics = plan_.metrics,
                              .cost = plan_.cost.get(),
                              .notices = plan_.notices};
    for (const auto& [stage, sum] : sums_) contents.known[stage] = sum.result();
    if (!plan_.layers.empty()) {
      for (const ExportedPart& part : parts_) {
        for (const ExportedStage& stage : part.stages) contents.model_stages.push_back(listed(part, stage));
      }
    }
    for (const ExportedModelStage& stage : model_stages_) contents.model_stages.push_back(listed(stage));
    const double values = static_cast<double>(values_of_manifest());
    const std::string manifest =
        manifest_json(computed_, contents, cancel_, [&](double share) { progress_.report(share * values); });
    add("manifest.json", [&](std::ostream& out) { out << manifest; });
    if (beside) {
      for (std::string& name : beside(files_)) names_.push_back(std::move(name));
    }
    cancel_.check();
    files_.commit();
    return names_;
  }

 private:
  std::int64_t total_values() const {
    std::int64_t total = values_of_manifest();
    for (const ExportedPart& part : parts_) {
      for (const ExportedStage& stage : part.stages) total += element_count(stage.region);
    }
    for (const ExportedModelStage& stage : model_stages_) total += element_count(stage.region);
    return std::max<std::int64_t>(total, 1);
  }

  // What is gone through for the manifest, beside what is written.
  std::int64_t values_of_manifest() const {
    StatisticsQuery query{{}, !plan_.region};
    for (const ExportedPart& part : parts_) {
      for (const ExportedStage& stage : part.stages) {
        if (plan_.layers.empty() && summed(part, stage)) query.known[stage.id] = {};
      }
    }
    return values_of_statistics(parts_.front().of.trace, query);
  }

  bool is_csv() const { return plan_.format == ExportFormat::csv_matrix || plan_.format == ExportFormat::csv_long; }
  std::vector<std::string> shown(std::vector<std::string> names) const {
    return plan_.csv_safe ? safe_texts(std::move(names)) : names;
  }

  void add(const std::string& name, const std::function<void(std::ostream&)>& write) {
    cancel_.check();
    files_.add((std::filesystem::path(plan_.folder) / name).string(), write);
    names_.push_back(name);
  }

  void add_of(const ExportedStage& stage, const std::string& name, const std::function<void(std::ostream&)>& write) {
    add(name, write);
    files_of(stage).push_back(name);
  }
  // A stage of one of several layers is listed by its own name.
  std::vector<std::string>& files_of(const ExportedStage& stage) {
    return plan_.layers.empty() ? written_[stage.id] : written_of_layers_[stage.name];
  }

  // What is computed when read is computed once: its statistics are taken while it is written.
  StatisticsSum* sum_of(const ExportedPart& part, const ExportedStage& stage) {
    if (!plan_.layers.empty()) {
      const bool all = stage.region == whole(part.of.trace.tensor(stage.id).shape());
      return all ? &layer_sums_[stage.name] : nullptr;
    }
    return summed(part, stage) ? &sums_[stage.id] : nullptr;
  }
  static bool summed(const ExportedPart& part, const ExportedStage& stage) {
    const Trace& trace = part.of.trace;
    const Tensor& tensor = trace.tensor(stage.id);
    const bool all = stage.region == whole(tensor.shape());
    return !tensor.stored() && (all || trace.on_demand != nullptr);
  }

  void add_stage(const ExportedPart& part, const ExportedStage& stage) {
    const std::string& name = stage.name;
    const Tensor& tensor = part.of.trace.tensor(stage.id);
    switch (plan_.format) {
      case ExportFormat::csv_matrix:
        add_matrices(part, stage);
        return;
      case ExportFormat::csv_long:
        add_of(stage, name + ".csv", [&](std::ostream& out) {
          write_csv_long(out,
                         {.holds = table_of(stage.id),
                          .layout = stage_layout(stage.id),
                          .tensor = progress_.counted(tensor, sum_of(part, stage)),
                          .region = stage.region,
                          .row_names = shown(part.of.row_names(stage.id)),
                          .column_names = shown(part.of.column_names(stage.id))},
                         cancel_);
        });
        return;
      case ExportFormat::npy:
        add_of(stage, name + ".npy", [&](std::ostream& out) {
          write_npy(out, progress_.counted(part_of(tensor, stage.region), sum_of(part, stage)), cancel_);
        });
        return;
      case ExportFormat::json:
        add_of(stage, name + ".json", [&](std::ostream& out) {
          write_json_tensor(out, name, progress_.counted(part_of(tensor, stage.region), sum_of(part, stage)), cancel_);
        });
        return;
      case ExportFormat::safetensors:
        return;
    }
  }

  // The numbers of a model's stage, whose statistics are taken while they are read.
  Tensor counted(const ExportedModelStage& stage) {
    const Tensor& tensor = stage.stage->tensor;
    const bool all = stage.region == whole(tensor.shape());
    return progress_.counted(tensor, all ? &model_sums_[stage.stage->id] : nullptr);
  }

  void add_model_stage(const ExportedModelStage& stage) {
    const auto add_file = [&](const std::string& name, const std::function<void(std::ostream&)>& write) {
      add(name, write);
      written_of_model_[stage.stage->id].push_back(name);
    };
    write_model_stage(stage, plan_.format, {counted(stage), shown(computed_.query_labels()), add_file}, cancel_);
  }

  ManifestModelStage listed(const ExportedModelStage& stage) const {
    const ModelStage& of = *stage.stage;
    const auto sum = model_sums_.find(of.id);
    return {stage.name(), of.tensor.shape(), of.operation, written_of_model_.at(of.id),
            sum == model_sums_.end() ? std::nullopt : std::optional(sum->second.result())};
  }

  ManifestModelStage listed(const ExportedPart& part, const ExportedStage& stage) const {
    const Stage& of = *part.of.trace.find(stage.id);
    const auto sum = layer_sums_.find(stage.name);
    return {stage.name, of.tensor.shape(), of.operation, written_of_layers_.at(stage.name),
            sum == layer_sums_.end() ? std::nullopt : std::optional(sum->second.result())};
  }

  void add_matrices(const ExportedPart& part, const ExportedStage& stage) {
    const MatrixLayout layout = stage_layout(stage.id);
    const Range rows = stage.region[layout.rows], columns = stage.region[layout.columns];
    const std::vector<std::string> row_names = shown(part_of_names(part.of.row_names(stage.id), rows));
    const std::vector<std::string> column_names = shown(part_of_names(part.of.column_names(stage.id), columns));
    for (const Slice& slice : slices_of(stage)) {
      add_of(stage, slice.name, [&](std::ostream& out) {
        const Tensor matrix =
            slice_of(stage.id, part.of.trace.tensor(stage.id), slice.batch, slice.head, rows, columns);
        write_csv_matrix(out, progress_.counted(matrix, sum_of(part, stage)), csv_corner(stage.id), row_names,
                         column_names, cancel_);
      });
    }
  }

  void add_safetensors() {
    std::vector<std::string> names;
    std::vector<Tensor> parts;
    for (const ExportedPart& part : parts_) {
      for (const ExportedStage& stage : part.stages) {
        names.push_back(stage.name);
        const Tensor& tensor = part.of.trace.tensor(stage.id);
        parts.push_back(progress_.counted(part_of(tensor, stage.region), sum_of(part, stage)));
      }
    }
    for (const ExportedModelStage& stage : model_stages_) {
      names.push_back(stage.name());
      parts.push_back(part_of(counted(stage), stage.region));
    }
    std::vector<NamedTensorRef> refs;
    for (std::size_t k = 0; k < parts.size(); ++k) refs.push_back({names[k], &parts[k]});
    const std::string name = "all.safetensors";
    add(name, [&](std::ostream& out) { write_safetensors(out, refs, export_metadata(parts_.front().of), cancel_); });
    for (const ExportedPart& part : parts_) {
      for (const ExportedStage& stage : part.stages) files_of(stage).push_back(name);
    }
    for (const ExportedModelStage& stage : model_stages_) written_of_model_[stage.stage->id].push_back(name);
  }

  const Trace& computed_;
  const ExportPlan& plan_;
  const CancelToken& cancel_;
  std::vector<ExportedPart> parts_;
  std::vector<ExportedModelStage> model_stages_;
  Progress progress_;
  FilesTogether files_;
  std::vector<std::string> names_;
  std::map<StageId, std::vector<std::string>> written_;
  std::map<StageId, StatisticsSum> sums_;
  std::map<std::string, std::vector<std::string>> written_of_layers_;  // by the name of the stage: "weights.l3"
  std::map<std::string, StatisticsSum> layer_sums_;
  std::map<ModelStageId, std::vector<std::string>> written_of_model_;
  std::map<ModelStageId, StatisticsSum> model_sums_;
};

}  // namespace

std::vector<std::string> export_stages(const Trace& trace, const ExportPlan& plan,
                                       const std::function<void(double)>& progress, const CancelToken& cancel,
                                       const AddFiles& beside) {
  exported_model_stages(plan);
  exported_parts(trace, plan);  // what cannot be written is refused before the folder is made
  const std::vector<std::string> made = make_folder(plan.folder);
  try {
    return Exporter(trace, plan, progress, cancel).run(beside);
  } catch (...) {
    std::error_code ignored;
    for (auto folder = made.rbegin(); folder != made.rend(); ++folder) std::filesystem::remove(*folder, ignored);
    throw;
  }
}

}  // namespace headscope

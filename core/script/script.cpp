#include "core/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/io/atomic_file.h"
#include "core/io/safetensors.h"
#include "core/model/capture.h"
#include "core/request/model_kind.h"
#include "core/script/script_writer.h"

namespace headscope {

std::optional<std::string> script_obstacle(const Trace& trace) {
  if (runs_capture(trace.request)) {
    return "A capture holds numbers that another program computed, without what they were computed from: there is no "
           "script that gives them";
  }
  // Masks and dropout are written cell by cell.
  constexpr std::int64_t kMostCells = std::int64_t{1} << 28;
  const std::int64_t cells = trace.inputs->batch * trace.num_heads() * trace.query_len() * trace.key_len();
  const bool drops = trace.request.dropout > 0 || !trace.inputs->dropout_mask.empty();
  if (drops && cells > kMostCells) {
    return fmt::format("The dropout of {} weights would have to lie beside the script; at most {} do", cells,
                       kMostCells);
  }
  return {};
}

Script script_of(const Trace& trace, ScriptLanguage language, const std::string& stem) {
  if (const auto obstacle = script_obstacle(trace)) {
    throw UsageError(fmt::format("--as {}: {}", script_language_name(language), *obstacle));
  }
  Script script;
  if (language == ScriptLanguage::latex) {
    script = latex_script(trace);
    script.name = (stem.empty() ? "attention" : stem) + ".tex";
    return script;
  }
  const std::string own = fmt::format("attention_{}", script_language_name(language));
  ScriptWriter writer(language, trace, stem.empty() ? own : stem);
  write_inputs(writer, trace);
  write_heads(writer, trace);
  write_attention(writer, trace);
  script = writer.finished();
  script.name = writer.stem() + ".py";
  if (!script.tensors.empty()) script.data_name = writer.stem() + ".safetensors";
  return script;
}

std::vector<std::string> write_script(const Script& script, const std::string& folder, const CancelToken& cancel) {
  make_folder(folder);
  const auto path = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  FilesTogether files;
  std::vector<std::string> names{script.name};
  if (!script.tensors.empty()) {
    names.push_back(script.data_name);
    files.add(path(script.data_name), [&](std::ostream& out) {
      std::vector<NamedTensorRef> tensors;
      for (const NamedTensor& each : script.tensors) tensors.push_back({each.name, &each.tensor});
      write_safetensors(out, tensors, {{"made_by", "Headscope"}}, cancel);
    });
  }
  files.add(path(script.name), [&](std::ostream& out) { out << script.text; });
  cancel.check();
  files.commit();
  return names;
}

}  // namespace headscope

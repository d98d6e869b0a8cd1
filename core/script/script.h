// A trace as code that a user can run without Headscope: the same stages, in PyTorch, NumPy or LaTeX.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/model/layer_weights.h"

namespace headscope {

enum class ScriptLanguage { pytorch, numpy, latex };
inline constexpr ScriptLanguage kScriptLanguages[] = {ScriptLanguage::pytorch, ScriptLanguage::numpy,
                                                      ScriptLanguage::latex};

// The name "pytorch", as --as spells it; the title "PyTorch".
std::string_view script_language_name(ScriptLanguage language);
std::string_view script_language_title(ScriptLanguage language);

// The lines [begin, end) of a script, counted from 0, that make these stages (none: imports, weights, sizes).
struct ScriptSection {
  std::vector<StageId> stages;
  std::int64_t begin = 0, end = 0;
};

struct Script {
  ScriptLanguage language = ScriptLanguage::pytorch;
  std::string name;       // "attention_pytorch.py"
  std::string data_name;  // "attention_pytorch.safetensors", the file beside it that it reads; "" when it needs none
  std::string text;
  std::vector<ScriptSection> sections;  // in order, without gaps
  // The tensors of the file data_name; large ones are computed when read.
  std::vector<NamedTensor> tensors;

  // The section that makes the stage; null when there is none.
  const ScriptSection* find(StageId stage) const;
};

// Why no script can compute this trace, as a sentence; nullopt when one can.
std::optional<std::string> script_obstacle(const Trace& trace);

// The script whose stages have the names, the shapes and the numbers of the trace's, within float32. Python ones print
// a line a stage (name, shape, smallest, largest and mean finite number), and with the name of a folder as argument
// write every stage as FOLDER/STAGE.npy. In a PyTorch script, torch draws seeded weights and --embedding sequence
// again; everything else comes from the data file. The files are called `stem` with their endings; "":
// "attention_pytorch", "attention_numpy", "attention". Throws UsageError with the sentence of script_obstacle().
Script script_of(const Trace& trace, ScriptLanguage language, const std::string& stem = "");

// Writes script and data to the folder, which is created when missing: both or neither. Returns their names. Throws
// Error, Cancelled.
std::vector<std::string> write_script(const Script& script, const std::string& folder, const CancelToken& cancel);

}  // namespace headscope

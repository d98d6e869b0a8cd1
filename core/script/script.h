// A trace as code that somebody else can run: the same stages, in PyTorch, NumPy or LaTeX.
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

// "pytorch", as --as spells it; "PyTorch", as it is called.
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
  std::string data_name;  // "attention_pytorch.safetensors", which lies beside it; "" when it needs none
  std::string text;
  std::vector<ScriptSection> sections;  // in order, without gaps
  // What data_name holds; the large ones are computed when read.
  std::vector<NamedTensor> tensors;

  // The section that makes the stage, or null.
  const ScriptSection* find(StageId stage) const;
};

// Why no script computes this trace: a sentence, or nothing.
std::optional<std::string> script_obstacle(const Trace& trace);

// The script whose stages have the names, the shapes and the numbers of the trace's, within float32. Python ones print
// a line a stage (name, shape, smallest, largest and mean finite number), and with the name of a folder as argument
// write every stage as FOLDER/STAGE.npy. Of PyTorch, seeded weights and --embedding sequence are drawn again by torch;
// everything else comes from the data file. The files are called `stem` with their endings; "": "attention_pytorch",
// "attention_numpy", "attention". Throws UsageError with script_obstacle().
Script script_of(const Trace& trace, ScriptLanguage language, const std::string& stem = "");

// Writes script and data to the folder, which is made when it is not there: both or none. Returns their names. Throws
// Error, Cancelled.
std::vector<std::string> write_script(const Script& script, const std::string& folder, const CancelToken& cancel);

}  // namespace headscope

// A trace as code that a user can run without Headscope: the same stages, in PyTorch, NumPy or LaTeX.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/script/script_parts.h"

namespace headscope {

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

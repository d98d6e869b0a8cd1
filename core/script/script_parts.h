// What a script consists of: its language, its text in sections, and the data beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/layer_weights.h"
#include "core/request/stage.h"

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

}  // namespace headscope

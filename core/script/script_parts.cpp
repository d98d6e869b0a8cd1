#include "core/script/script_parts.h"

#include <algorithm>

namespace headscope {

std::string_view script_language_name(ScriptLanguage language) {
  return language == ScriptLanguage::pytorch ? "pytorch" : language == ScriptLanguage::numpy ? "numpy" : "latex";
}

std::string_view script_language_title(ScriptLanguage language) {
  return language == ScriptLanguage::pytorch ? "PyTorch" : language == ScriptLanguage::numpy ? "NumPy" : "LaTeX";
}

const ScriptSection* Script::find(StageId stage) const {
  // Of masked scores, whose mask may be built earlier, the last.
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    if (std::find(section->stages.begin(), section->stages.end(), stage) != section->stages.end()) return &*section;
  }
  return nullptr;
}

}  // namespace headscope

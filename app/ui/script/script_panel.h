// The computation as code: the view on Ctrl+Shift+P.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/ui.h"
#include "core/script/script.h"

namespace headscope::ui {

// The script of one trace, in lines; made anew with another trace or language.
struct ShownScript {
  std::weak_ptr<const Trace> trace;
  ScriptLanguage language = ScriptLanguage::pytorch;
  std::string name, data_name, text;
  std::vector<ScriptSection> sections;
  std::vector<std::string_view> lines;  // of text
  std::string obstacle;                 // why there is no script; else ""
  float widest = 0, widest_at = 0;      // width of the widest line in pixels, at the window scale widest_at
};
// The script in the chosen language; kept until trace or language change.
const ShownScript& shown_script(Ui& ui, const std::shared_ptr<const Trace>& trace);

// The pipeline, and below it the script with the lines of the selected stage marked.
void draw_script_panel(Ui& ui, const Rect& area);
// The panel scrolls to the marked lines when it is opened next.
void forget_script_place(Ui& ui);

}  // namespace headscope::ui

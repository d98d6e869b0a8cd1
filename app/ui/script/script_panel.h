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
// The lines that came into sight because their stage was chosen.
struct FollowedLines {
  std::int64_t begin = 0, end = 0;
  ScriptLanguage language = ScriptLanguage::pytorch;
  float height = 0;  // of their room, in pixels
  friend bool operator==(const FollowedLines&, const FollowedLines&) = default;
};

struct ScriptState {
  ScriptLanguage language = ScriptLanguage::pytorch;  // the chosen one
  std::unique_ptr<ShownScript> shown;                 // null: none yet
  std::optional<FollowedLines> followed;              // nullopt: the chosen stage has no lines, or they are forgotten
};

// The script in the chosen language; kept until trace or language change.
const ShownScript& shown_script(Ui& ui, const std::shared_ptr<const Trace>& trace);

// The pipeline, and below it the script with the lines of the selected stage marked.
void draw_script_panel(Ui& ui, const Rect& area);
// The panel scrolls to the marked lines when it is opened next.
void forget_script_place(Ui& ui);

}  // namespace headscope::ui

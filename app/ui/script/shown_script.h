// What the view of the script keeps: the text in lines, with what each makes, and what came into sight.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/script/line_values.h"
#include "core/script/script.h"

namespace headscope::ui {

// The script of one trace, in lines; made anew with another trace or language.
struct ShownScript {
  std::weak_ptr<const Trace> trace;
  ScriptLanguage language = ScriptLanguage::pytorch;
  std::string name, data_name, text;
  std::vector<ScriptSection> sections;
  std::vector<std::string_view> lines;                // of text
  std::string obstacle;                               // why there is no script; else ""
  std::map<std::int64_t, LineValues> values;          // by the line that makes them, of this selection
  std::array<std::int64_t, 3> values_of{-1, -1, -1};  // batch, head, row
  float widest = 0, widest_at = 0;  // width of the widest line in pixels, at the window scale widest_at
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

}  // namespace headscope::ui

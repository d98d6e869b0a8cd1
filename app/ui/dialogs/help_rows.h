// The rows of F1: every command and key, by topic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/command.h"

namespace headscope::ui {

struct HelpRow {
  std::string topic;                    // "File", "Heatmap"
  std::string title;                    // "Export...", or where a key works
  std::string keys;                     // "Ctrl+E"; "": only by menu and palette
  std::string help;                     // what it does
  CommandId command = CommandId::none;  // none: a key that belongs to a place
};

// All of them when nothing is typed, else those whose topic, name, keys or help fit; rows of a topic follow each other.
std::vector<HelpRow> help_rows(std::string_view typed);

}  // namespace headscope::ui

// Every command as menu, palette, keys and help name it.
#pragma once

#include <vector>

#include "app/ui/command.h"

namespace headscope::ui {

// One line of the menu, the palette, the shortcut table and F1: all four read this list. The commands of the main
// views are rows of main_views() in app/ui/main_view.h.
struct CommandInfo {
  CommandId id;
  const char* title;     // "Export..."
  const char* menu;      // "File", "Edit", "Model", "View", "Go", "Export", "Help", or "" when only in the palette
  const char* shortcut;  // "Ctrl+E", or ""
  const char* help;      // one sentence
};
const std::vector<CommandInfo>& command_list();

}  // namespace headscope::ui

// What every command does, by kind: execute_command() finds the row. Main views are opened by main_views() instead.
#pragma once

#include <span>
#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

struct CommandAction {
  CommandId id;
  void (*run)(Ui& ui, const std::string& argument);  // Command::argument
};

std::span<const CommandAction> document_commands();  // document_commands.cpp: what is opened, saved, read
std::span<const CommandAction> request_commands();   // request_commands.cpp: what is computed
std::span<const CommandAction> look_commands();      // look_commands.cpp: how one looks at it, and the clipboard

// A row's `run` of a function that takes no argument.
template <void (*action)(Ui& ui)>
void plain(Ui& ui, const std::string& /*argument*/) {
  action(ui);
}

// The row of a command; null for main views and for what the window itself does (quit, show_window_picture).
const CommandAction* find_command_action(CommandId id);

}  // namespace headscope::ui

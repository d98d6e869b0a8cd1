// Commands, carried out after the frame that pushed them.
#include "app/ui/command_actions.h"
#include "app/ui/main_view.h"
#include "app/ui/shortcuts.h"

namespace headscope::ui {

const CommandAction* find_command_action(CommandId id) {
  for (const auto& actions : {document_commands(), request_commands(), look_commands()}) {
    for (const CommandAction& action : actions) {
      if (action.id == id) return &action;
    }
  }
  return nullptr;
}

bool execute_command(Ui& ui, const Command& command) {
  if (command.id == CommandId::none) return true;
  if (const MainViewInfo* view = main_view_of(command.id)) {
    toggle_main_view(ui, *view);
    return true;
  }
  const CommandAction* action = find_command_action(command.id);
  if (action == nullptr) return false;
  action->run(ui, command.argument);
  return true;
}

}  // namespace headscope::ui

// Commands, carried out after the frame that pushed them.
#include "app/session/command_trail.h"
#include "app/ui/command_actions.h"
#include "app/ui/command_list.h"
#include "app/ui/main_view.h"
#include "app/ui/shortcuts.h"
#include "core/base/utf8.h"

namespace headscope::ui {

const CommandAction* find_command_action(CommandId id) {
  for (const auto& actions : {document_commands(), request_commands(), look_commands()}) {
    for (const CommandAction& action : actions) {
      if (action.id == id) return &action;
    }
  }
  return nullptr;
}

namespace {

// For the report of a crash; what a command was given stays out of it.
void note_title_of(CommandId id) {
  for (const CommandInfo& info : command_list()) {
    if (info.id == id) return note_command(info.title);
  }
}

}  // namespace

bool execute_command(Ui& ui, const Command& command) {
  if (command.id == CommandId::none) return true;
  note_title_of(command.id);
  if (const MainViewInfo* view = main_view_of(command.id)) {
    toggle_main_view(ui, *view);
    return true;
  }
  const CommandAction* action = find_command_action(command.id);
  if (action == nullptr) return false;
  // An option may be a text, whose bytes are kept; all other arguments are names.
  if (command.id != CommandId::set_option && !is_valid_utf8(command.argument)) {
    put_notice(ui.state, {Notice::Kind::bad, "A name that is no UTF-8 was not taken.",
                          "No session could hold it: give the file another name.", "open"});
    return true;
  }
  action->run(ui, command.argument);
  return true;
}

}  // namespace headscope::ui

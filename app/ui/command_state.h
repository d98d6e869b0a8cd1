// Whether a command can run now.
#pragma once

#include <string>

#include "app/ui/shell_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Why a command cannot run now, in a sentence; "": it can. The menu greys the command, the palette says why.
std::string command_refusal(const Ui& ui, CommandId id);

// What the panels have shown in the last frame.
OnScreen shown_of(const Ui& ui);

}  // namespace headscope::ui

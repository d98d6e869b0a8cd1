// Our own words in the room that there is: a shorter way to say it, never an ellipsis.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "app/ui/ui.h"

namespace headscope::ui {

// The first of `ways` that is at most `width` pixels wide, else the last: say the longest first, the shortest last.
std::string fitting_words(Ui& ui, Type type, float width, std::initializer_list<std::string> ways);

// The name of a file's part, or its end behind an ellipsis: what tells "layers.3.self_attn.k_proj.weight" from others
// stands there.
std::string ending_of(Ui& ui, Type type, std::string_view name, float width);

}  // namespace headscope::ui

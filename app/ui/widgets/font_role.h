// Which of the four fonts a type of the visual system uses.
#pragma once

#include "app/ui/theme.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

FontRole font_role(Type type);

}  // namespace headscope::ui

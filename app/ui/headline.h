// The head of one layer's panels says where the picked head looks, and what the model goes on with.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// Says it (view_head.h), of the picked cell of the picked head, or of its largest weight. Call it once a frame while
// one layer is shown.
void say_headline(Ui& ui);

}  // namespace headscope::ui

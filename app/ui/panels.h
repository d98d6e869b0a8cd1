// One function for each panel, in the file of its name. All take only the Ui and their rectangle.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

void draw_menu_bar(Ui& ui, const Rect& area);       // menu_bar.cpp
void draw_view_strip(Ui& ui, const Rect& area);     // view_strip.cpp: the main views, and where one is
void draw_status_bar(Ui& ui, const Rect& area);     // status_bar.cpp
void draw_phrase_panel(Ui& ui, const Rect& area);   // phrase_panel.cpp: box, key phrase, token chips
void draw_request_panel(Ui& ui, const Rect& area);  // request_panel.cpp and request_*.cpp, a section each
// pipeline_strip.cpp; `folds`: the user chooses between cards and names.
void draw_pipeline_strip(Ui& ui, const Rect& area, bool folds);
void draw_heads_panel(Ui& ui, const Rect& area);        // heads_panel.cpp: the grid
void draw_layers_panel(Ui& ui, const Rect& area);       // layers_panel.cpp: all layers and heads of a model
void draw_compare_panel(Ui& ui, const Rect& area);      // compare_panel.cpp: a pinned result beside the current one
void draw_sensitivity_panel(Ui& ui, const Rect& area);  // sensitivity_panel.cpp: the derivatives of one number
void draw_text_panel(Ui& ui, const Rect& area);         // text/text_panel.cpp: attention on the words themselves
void draw_concat_panel(Ui& ui, const Rect& area);       // concat_panel.cpp
void draw_inspector(Ui& ui, const Rect& area);          // inspector.cpp: the large head or stage, its numbers
void draw_dialogs(Ui& ui, const Rect& window);          // dialogs/*.cpp: the open dialog, over a shade
void draw_notices(Ui& ui, const Rect& area);            // notices.cpp: problems, failures, hints
float notices_height(Ui& ui);                           // the height that notices need in this frame
bool dismiss_notice(Ui& ui);                            // for Esc; false when no notice can be dismissed

}  // namespace headscope::ui

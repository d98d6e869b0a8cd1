// What must hold whatever the random user does. A sentence that is returned begins with the name of the promise and a
// colon; "" when all is well.
#pragma once

#include <string>

#include "tests/monkey/hand.h"

namespace headscope::ui {

// After every event: all rectangles are numbers, no two controls have one name, all text is UTF-8, what is shown is
// what the draft asks for.
std::string broken_promise(const Hand& hand);

// Events that are promises themselves.
// Undo and redo give the same draft, document and lesson.
std::string undo_and_redo(Hand& hand, const Event& event);
// Esc, again and again, leads back to the panels of one layer.
std::string leave_all(Hand& hand, const Event& event);
// Session, view, settings and timeline are read back as they were written.
std::string write_and_read(Hand& hand, const Event& event);
// Everything as at the start but for the timeline: nothing is held, open or pinned, so that memory can be compared.
std::string go_home(Hand& hand, const Event& event);

// A promise that is broken on purpose, to see that a run fails and is shrunk: the theme never becomes light while the
// clipboard holds something.
void plant_mistake();

}  // namespace headscope::ui

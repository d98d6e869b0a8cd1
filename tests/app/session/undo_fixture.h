// A session whose first moment has the phrase "start", and its undo and redo at a time.
#pragma once

#include "tests/app/session/session_fixture.h"

namespace headscope {

class UndoFixture : public ::testing::Test {
 protected:
  UndoFixture() {
    session().draft.phrase = "start";
    session().update(at(0));
  }
  Session& session() { return *s.session; }
  void undo(int ms) {
    session().undo();
    session().update(at(ms));
  }
  void redo(int ms) {
    session().redo();
    session().update(at(ms));
  }
  ManualSession s;
};

}  // namespace headscope

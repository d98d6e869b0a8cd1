// A hand on the keyboard and the mouse of a window that is driven in process (tests/app/ui/driver.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/app/ui/driver.h"
#include "tests/monkey/event.h"
#include "tests/monkey/held_work.h"
#include "tests/monkey/scratch.h"

namespace headscope::ui {

class Hand {
 public:
  Hand();

  const Scratch& scratch() const { return scratch_; }
  HeldWork& work() { return work_; }
  bool holds_work() const { return work_.holds(); }
  Driver& driver() { return driver_; }
  const Driver& driver() const { return driver_; }

  // One frame with this input; then keeps what is computed small, and what is written in the scratch folder.
  void frame(InputEvents input = {});
  // Frames without input until none is asked for. False when more than 40 are asked for while no work is held.
  bool rest();

  // The pixel at (n[0], n[1]) thousandths of the control that `text` names; nullopt: it is not on screen.
  std::optional<ImVec2> point_in(const Event& event) const;
  void move(ImVec2 to);
  void button(int button, bool down);
  void click(ImVec2 at, int button, int times);
  void drag(ImVec2 from, ImVec2 to);
  void wheel(float across, float away);
  void key(const KeyEvent& event);
  // As text arrives: `at_once` in one frame, else one frame a character.
  void type(const std::string& utf8, bool at_once);
  void command(CommandId id, const std::string& argument);

 private:
  void keep_small();
  void keep_inside();

  Scratch scratch_;
  HeldWork work_;  // before the window, whose executors work for it
  Driver driver_;
};

}  // namespace headscope::ui

// Requests and views that undo and redo go through.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "core/request/request.h"

namespace headscope {

// `view` with the layout of `screen`, which undo leaves alone.
ViewState with_screen_of(ViewState view, const ViewState& screen);

class UndoList {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  explicit UndoList(std::chrono::steady_clock::duration coalesce) : coalesce_(coalesce) {}

  // Forgets everything; (draft, view) is where the next step starts.
  void reset(const Request& draft, const ViewState& view);

  // Sees the state after the user's edits of a frame. A changed draft makes a step, or joins the last one when the same
  // text or number was changed less than `coalesce` ago. Returning to where a step began takes the step away.
  void record(const Request& draft, const ViewState& view, TimePoint now);
  // The next change makes a step of its own.
  void end_step() { joined_option_.clear(); }

  bool can_undo() const { return !before_.empty(); }
  bool can_redo() const { return !after_.empty(); }
  // Replace draft and view by the state before the last step, or after the next one.
  void undo(Request& draft, ViewState& view);
  void redo(Request& draft, ViewState& view);

 private:
  struct State {
    Request draft;
    ViewState view;
  };
  void go(std::vector<State>& from, std::vector<State>& to, Request& draft, ViewState& view);

  std::chrono::steady_clock::duration coalesce_;
  State last_;                         // as record() saw it last
  std::vector<State> before_, after_;  // newest last
  std::string joined_option_;          // the option that the last step changed; "" when no change may join it
  TimePoint changed_at_{};
};

}  // namespace headscope

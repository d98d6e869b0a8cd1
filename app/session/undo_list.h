// The timeline that undo and redo go through: edits of the request, and documents that were opened.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/session/moment.h"

namespace headscope {

// One step: the moment to which it leads.
struct UndoStep {
  std::shared_ptr<const Moment> moment;
  bool opened = false;    // a document was opened between: the view comes back whole
  std::size_t bytes = 0;  // about what the moment holds; 0: not counted yet
};

// The steps on both sides of the present, nearest last.
struct Timeline {
  std::vector<UndoStep> before, after;
};

// What a long session may keep; the farthest steps are forgotten. A moment of a short phrase takes 3 KB, so that they
// are 3 MB; one holds a copy of its phrase, so that of a pasted text of 1 MB 32 steps are left. The nearest step on
// each side is always there.
inline constexpr std::size_t kMostUndoSteps = 1000;
inline constexpr std::size_t kMostUndoBytes = std::size_t{32} << 20;

// `view` with the layout of `screen`, which undo leaves alone.
ViewState with_screen_of(ViewState view, const ViewState& screen);

class UndoList {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  explicit UndoList(std::chrono::steady_clock::duration coalesce) : coalesce_(coalesce) {}

  // `now` is the present between the steps of `timeline`.
  void reset(const Moment& now, Timeline timeline = {});

  // Sees the state after the user's edits of a frame. A changed draft or lesson makes a step, or joins the last one
  // when the same text or number was changed less than `coalesce` ago. Returning to where a step began takes the step
  // away.
  void record(const Request& draft, const ViewState& view, const DocumentIdentity& document, TimePoint now);
  // A document took the place of what record() saw last: one step, unless it is the same.
  void open(const Moment& opened);
  // What record() saw last becomes `now` without a step.
  void amend(const Moment& now);
  // The next change makes a step of its own.
  void end_step() { joined_option_.clear(); }

  bool can_undo() const { return !steps_.before.empty(); }
  bool can_redo() const { return !steps_.after.empty(); }
  // Replace `now` by the state before the last step, or after the next one.
  void undo(Moment& now);
  void redo(Moment& now);

  // At most `most` steps on each side, the nearest.
  Timeline nearest(std::size_t most) const;

 private:
  void push_step(bool opened);
  void go(std::vector<UndoStep>& from, std::vector<UndoStep>& to, Moment& now);
  void forget_farthest();

  std::chrono::steady_clock::duration coalesce_;
  Moment last_;  // as record() saw it last
  Timeline steps_;
  std::string joined_option_;  // the option that the last step changed; "" when no change may join it
  TimePoint changed_at_{};
};

}  // namespace headscope

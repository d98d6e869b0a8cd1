// Two results are compared: the one of now, which is B, and A, which is chosen here.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/ui/ui.h"
#include "core/attention/trace.h"
#include "core/request/interventions.h"

namespace headscope::ui {

// A: the pinned result, or else the run of now without the picked head, where a run is short enough to be made unasked.
struct ComparedSide {
  std::shared_ptr<const Trace> trace;     // null: there is none, or none yet
  std::optional<LayerHead> without = {};  // the head that is off in it; nothing: it was pinned
  bool current = true;                    // false: that of an older B, until its own is there
  std::string waits = {};                 // what is being computed, as a sentence; "": nothing
};
ComparedSide compared_side(Ui& ui);

// "without layer 3, head 1", or "without head 1" of a layer alone.
std::string without_words(const Trace& b, const LayerHead& head);

}  // namespace headscope::ui

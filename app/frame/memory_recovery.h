// How the window goes on where memory is missing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/frame/frame.h"
#include "app/session/session.h"

namespace headscope {

// What the window keeps back, so that there is room to say so and to save.
constexpr std::size_t kWindowReserve = std::size_t{64} << 20;

class MemoryRecovery {
 public:
  // Call it before every frame. Puts a notice where an allocation has failed since the last call, or the reserve had to
  // be given up, and keeps a new reserve back as soon as there is one.
  void tell(ui::UiState& state) noexcept;
  // A frame was drawn.
  void note_drawn(const Session& session);
  // A frame has found no memory (std::bad_alloc): gives it up, so that another one can be made. Where the frame before
  // found none either, what was edited since the last one that was drawn needs too much, and is taken back. Throws
  // std::bad_alloc when that does not help.
  void give_up_frame(Session& session, FrameDrawer& drawer);

 private:
  std::uint64_t told_ = 0;  // failed allocations that the user knows of
  bool told_of_reserve_ = false;
  int given_up_ = 0;  // the latest frames in a row
  Request drawn_;     // the draft of the last one that was drawn
};

}  // namespace headscope

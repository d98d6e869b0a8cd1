// What panel_data() and its like count: the data that was made, and the frames in which it was read.
#pragma once

#include <cstdint>

namespace headscope::ui {

// Numbers for what is derived from a trace, so that pictures made from it can be told from those of any other.
struct DataVersions {
  std::uint64_t made = 0;  // the last number that was given; 0: none yet
};

// The frame in which PanelData::begin_frame() was called last, for the shown trace.
struct ReadingFrame {
  int number = -1;  // as Dear ImGui counts; -1: none yet
};

}  // namespace headscope::ui

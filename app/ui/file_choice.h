// What a file is chosen for, while DialogKind::choose_file is open and until its path has arrived.
#pragma once

#include <string>

namespace headscope::ui {

struct FileChoice {
  // The option that gets the path ("mask", "weights", "input"), or another purpose that the dialog knows ("model").
  std::string purpose;
  bool adds_mask_term = false;  // the mask file joins the other terms of the mask instead of replacing them
};

}  // namespace headscope::ui

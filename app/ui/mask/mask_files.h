// The row of the mask editor that reads and writes mask files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/ui.h"
#include "core/attention/trace.h"
#include "core/model/mask_file.h"

namespace headscope::ui {

struct MaskFilesState {
  std::string path;  // as typed
  MaskConvention convention{};
  std::optional<std::int64_t> file_row;  // of a file of key padding; nullopt: that of the batch item
  std::string said;                      // what became of the last file
  bool failed = false;                   // `said` is an error
  void add_text(std::string& all) const { all += said; }
};

// A path, a convention, Import and Export of the mask of (batch, head).
void draw_mask_files(Ui& ui, const Trace& trace, std::int64_t batch, std::int64_t head, const Rect& area);

}  // namespace headscope::ui

// The updates of a followed file as numbered pictures, frames of a film.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/session/export/export_choice.h"
#include "app/session/updates.h"
#include "app/session/view_state.h"
#include "core/base/cancel.h"

namespace headscope {

// The picture that the frames are of: PNG of the middle of the window, of one head where that is looked at alone.
ExportChoice frame_choice(const ViewState& view);

// Writes choice.folder/update-0001.png ..., numbered as the updates are. choice.folder must not be there yet. Returns
// one sentence: "Wrote 40 pictures, 3.1 MB, to ~/x". Throws Error and Cancelled; then the folder is gone again.
std::string write_update_frames(const ExportChoice& choice, const std::vector<FileUpdate>& updates,
                                const ViewState& view, const CancelToken& cancel,
                                const std::function<void(double)>& progress);

}  // namespace headscope

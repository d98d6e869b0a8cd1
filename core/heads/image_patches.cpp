#include "core/heads/image_patches.h"

#include <string>
#include <vector>

#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/model/image_input.h"

namespace headscope {

std::optional<ImagePatches> image_patches(const Trace& trace, bool of_keys) {
  ImagePatches patches;
  if (const std::shared_ptr<const ImageInput>& image = trace.inputs->image; image != nullptr) {
    patches.grid = image->grid;
    patches.picture = std::shared_ptr<const Image>(image, &image->picture);
  } else if (trace.model != nullptr && trace.model->capture != nullptr) {
    const CaptureReport& report = *trace.model->capture;
    const bool same = trace.query_len() == trace.key_len();
    const std::optional<ImageGrid> of_its_keys = report.key_grid || !same ? report.key_grid : report.grid;
    if (const std::optional<ImageGrid>& grid = of_keys ? of_its_keys : report.grid) patches.grid = *grid;
  }
  patches.leading = (of_keys ? trace.key_len() : trace.query_len()) - patches.grid.patches();
  if (patches.grid.patches() == 0 || patches.leading < 0) return std::nullopt;
  // Views may leave tokens out or join them: then names and places no longer agree.
  if (trace.inputs->image != nullptr && patches.leading > trace.inputs->image->leading) return std::nullopt;
  return patches;
}

}  // namespace headscope

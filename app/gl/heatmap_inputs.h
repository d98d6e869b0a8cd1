// The textures that heatmap.frag reads: uploaded once for each matrix, mask or range, and shared by all pictures of it.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "app/gl/texture.h"
#include "core/picture/heatmap.h"

namespace headscope {

// The textures of one heatmap. A picture keeps them, so that a change of range or colour map needs no upload.
struct HeatmapInputs {
  std::shared_ptr<const GlTexture> values;
  std::shared_ptr<const GlTexture> hidden;  // null: nothing is hidden
  std::shared_ptr<const GlTexture> colors;
  std::shared_ptr<const GlTexture> row_scales;  // null unless the range is per row
  std::shared_ptr<const GlTexture> thresholds;  // null unless the scale is logarithmic
};

class HeatmapInputCache {
 public:
  // spec.matrix must fit the driver's largest texture; one that is computed when read is read completely, once.
  // spec.device, unless null, is a SharedPicture of this context: its textures are used directly.
  HeatmapInputs inputs_of(const HeatmapSpec& spec);
  // Drops textures that no picture uses any more.
  void forget_unused();
  std::int64_t uploads() const { return uploads_; }  // of matrices, since the start

 private:
  // An entry keeps its matrix or mask alive, so that no other one can get the same address.
  struct Values {
    Tensor matrix;
    std::shared_ptr<GlTexture> texture;
  };
  struct Hidden {
    std::shared_ptr<const Mask> mask;
    std::int64_t batch, head;
    std::shared_ptr<GlTexture> texture;
  };
  struct Rows {
    Tensor matrix;
    std::shared_ptr<const Mask> mask;
    std::int64_t batch, head;
    bool diverging, log_scale;
    std::shared_ptr<GlTexture> scales, thresholds;
  };
  struct Thresholds {
    ValueScale scale;
    std::shared_ptr<GlTexture> texture;
  };
  std::shared_ptr<GlTexture> values_of(const Tensor& matrix);
  std::shared_ptr<GlTexture> hidden_of(const HeatmapSpec& spec);
  const Rows& rows_of(const HeatmapSpec& spec);
  std::shared_ptr<GlTexture> thresholds_of(const ValueScale& scale);
  std::shared_ptr<GlTexture> colors_of(ColorMap map);

  std::unordered_multimap<const void*, Values> values_;
  std::list<Hidden> hidden_;
  std::list<Rows> rows_;
  std::list<Thresholds> thresholds_;
  std::array<std::shared_ptr<GlTexture>, 8> colors_;
  std::int64_t uploads_ = 0;
};

// For each entry e of the colour table the smallest float that scale.entry() gives e or more: the shader's log2 may
// round differently from ours, and these decide. Entry 0 is -infinity; +infinity where no value gives e or more.
// `scale` is logarithmic.
std::array<float, 256> entry_thresholds(const ValueScale& scale);

}  // namespace headscope

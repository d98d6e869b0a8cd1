// TextureStore on OpenGL 3.3: R32F values, a 256-entry colour map, one fragment shader (shaders/heatmap.frag).
#pragma once

#include <memory>
#include <string>

#include "app/gl/texture_share.h"
#include "core/picture/texture_store.h"

namespace headscope {

// What draws the heatmaps of matrices in memory: the shader, or the processor with draw_heatmap(), pixel for pixel the
// same. With a driver that draws on the processor, drawing into textures is slow.
enum class HeatmapDrawer { shader, processor };

class GlTextureStore : public TextureStore {
 public:
  // A context of at least 3.3 core must be current. Where the driver refuses the shader, the processor draws.
  static std::unique_ptr<GlTextureStore> make(HeatmapDrawer painter = HeatmapDrawer::shader);
  // What the driver refused since the last call, as a sentence for the user; "": nothing. Each kind is said once.
  virtual std::string take_complaint() = 0;
  // Call it once a frame: drops textures that were not used lately.
  virtual void end_frame() = 0;
  virtual std::int64_t uploads() const = 0;  // of value textures, since the start
  // For a context that shares its textures with this one: pictures that it fills are drawn without a copy.
  virtual const std::shared_ptr<TextureShare>& share() const = 0;
};

}  // namespace headscope

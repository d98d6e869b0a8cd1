// TextureStore on OpenGL 3.3: R32F values, a 256-entry colour map, one fragment shader (shaders/heatmap.frag).
#pragma once

#include <memory>

#include "app/gl/texture_share.h"
#include "core/picture/texture_store.h"

namespace headscope {

// Who colours the heatmaps of matrices that lie in memory: the shader, or the processor by draw_heatmap(), pixel for
// pixel the same. A driver that draws on the processor itself pays for every texture that it draws into.
enum class HeatmapPainter { shader, processor };

class GlTextureStore : public TextureStore {
 public:
  // A context of at least 3.3 core must be current. Throws Error with the shader's log when a program is refused.
  static std::unique_ptr<GlTextureStore> make(HeatmapPainter painter = HeatmapPainter::shader);
  // Once a frame: forgets textures that were not asked for lately.
  virtual void end_frame() = 0;
  // For tests: the pixels of a texture that heatmap() or image() returned.
  virtual Image read_back(TextureId id) = 0;
  virtual std::int64_t uploads() const = 0;  // of value textures, ever
  // For a context that shares its textures with this one: pictures that it fills are drawn from where they are.
  virtual const std::shared_ptr<TextureShare>& share() const = 0;
};

}  // namespace headscope

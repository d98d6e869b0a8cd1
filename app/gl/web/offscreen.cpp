#include "app/gl/offscreen.h"

#include "core/base/error.h"

namespace headscope {

std::unique_ptr<OffscreenContext> make_offscreen_context(const ContextQuery&) {
  throw Error("A page of a browser has no OpenGL but that of its window.");
}

std::unique_ptr<OffscreenContext> make_sharing_context(const OffscreenContext&, std::shared_ptr<TextureShare>) {
  throw Error("WebGL shares no textures between contexts.");
}

}  // namespace headscope

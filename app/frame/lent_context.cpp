#include "app/frame/lent_context.h"

#include "app/gl/compute_factory.h"
#include "app/gl/offscreen.h"

namespace headscope {

void lend_context(const ContextLender& lender, Window& window, const FrameDrawer& drawer) {
  lender.serve([&]() -> LentContext {
    const bool card_elsewhere = is_software_renderer(renderer_name()) && may_have_graphics_card();
    SharedContext* context = card_elsewhere ? nullptr : window.lend_context();
    if (context == nullptr) return {};
    return {[context] { context->make_current(); }, [context] { context->release(); }, drawer.textures().share()};
  });
}

}  // namespace headscope

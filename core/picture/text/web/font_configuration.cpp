#include "core/picture/text/font_configuration.h"

#include <cstdlib>

namespace headscope {

// The fonts that the page brings; under node those that FONTCONFIG_FILE names.
const char* font_configuration() {
  if (std::getenv("FONTCONFIG_FILE") != nullptr) return nullptr;
  return "<fontconfig><dir>/fonts</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>";
}

}  // namespace headscope

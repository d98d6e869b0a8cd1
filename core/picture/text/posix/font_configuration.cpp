#include "core/picture/text/font_configuration.h"

namespace headscope {

const char* font_configuration() {
  return nullptr;
}

}  // namespace headscope

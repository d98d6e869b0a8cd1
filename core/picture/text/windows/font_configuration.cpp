#include "core/picture/text/font_configuration.h"

#include <cstdlib>

namespace headscope {

// Who names a configuration of his own gets that.
const char* font_configuration() {
  if (std::getenv("FONTCONFIG_FILE") != nullptr) return nullptr;
  return R"(<?xml version="1.0"?>
<fontconfig>
  <dir>WINDOWSFONTDIR</dir>
  <dir>WINDOWSUSERFONTDIR</dir>
  <cachedir>LOCAL_APPDATA_FONTCONFIG_CACHE</cachedir>
  <alias><family>sans-serif</family><prefer><family>Segoe UI</family><family>Arial</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>Consolas</family><family>Courier New</family></prefer></alias>
</fontconfig>
)";
}

}  // namespace headscope

#include "core/picture/text/font_configuration.h"

#include <fontconfig/fontconfig.h>

#include <cstdlib>

namespace headscope {

namespace {

// Whether fontconfig finds a configuration by itself. Who names one that is not there is told so by fontconfig.
bool has_configuration() {
  if (std::getenv("FONTCONFIG_FILE") != nullptr) return true;
#if FC_VERSION >= 21393
  // The current configuration would be loaded for it, with a word on standard error where there is none.
  FcConfig* const empty = FcConfigCreate();
  FcChar8* const file = empty == nullptr ? nullptr : FcConfigGetFilename(empty, nullptr);
  if (empty != nullptr) FcConfigDestroy(empty);
#else
  FcChar8* const file = FcConfigFilename(nullptr);
#endif
  const bool found = file != nullptr;
  if (found) FcStrFree(file);
  return found;
}

}  // namespace

// A program that brings its libraries and fonts along runs where fontconfig was never installed.
const char* font_configuration() {
  if (has_configuration()) return nullptr;
  return R"(<?xml version="1.0"?>
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family><family>Noto Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family><family>Noto Sans Mono</family></prefer></alias>
</fontconfig>
)";
}

}  // namespace headscope

// The command line of the window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/picture/palette.h"

namespace headscope {

struct Options {
  std::string path;    // file to open; "": the last session, else the demo
  bool watch = false;  // follow the file when another program writes it
  std::string listen;  // socket at which other programs of this user hand over what is to be shown; "": none
  bool help = false, version = false;
  // For pictures in the documentation, for tests, and for a machine without a display; not in --help.
  std::string screenshot;         // draws without a window, writes this PNG and ends
  std::vector<std::string> then;  // steps done in order before that: "heads=7", or a command of the menu
  int width = 0, height = 0;      // of the window; 0: as when it was last closed
  std::optional<Theme> theme;
  double scale = 0;   // content scale; 0: that of the desktop (1 without one)
  int frames = 3;     // drawn before the picture is taken
  std::string probe;  // JSON file that describes the screen, written after every frame
};

// Throws UsageError that names the argument.
Options parse_options(int argc, const char* const* argv);

// What --help prints.
std::string help_text();

}  // namespace headscope

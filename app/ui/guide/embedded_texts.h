// Texts of assets/ that are built into the program.
#pragma once

#include <string>
#include <vector>

namespace headscope::ui {

struct EmbeddedText {
  std::string name;  // name of the file without its ending: "es"; of a page in another language "es/01-first-look"
  std::string text;
};

// In the order of their names.
const std::vector<EmbeddedText>& language_files();  // assets/languages
const std::vector<EmbeddedText>& example_files();   // assets/examples
const std::vector<EmbeddedText>& guide_files();     // assets/guide
const std::vector<EmbeddedText>& window_files();    // assets/languages/window

}  // namespace headscope::ui

// The JSON of a session, out of whichever file holds it.
#pragma once

#include <string>

namespace headscope {

struct SessionText {
  std::string json;
  std::string what;  // names its source in messages: "fig.png (its recipe)"
};

// Of a session file (.json), or the recipe in a picture (.png, .svg, .pdf, .html); of a pipe, too, which can be read
// once. Error for other files, and when a picture has no recipe.
SessionText read_session_text(const std::string& path);

}  // namespace headscope

// A page of the guide in a column: its blocks as pieces of text that lie where they are drawn.
#pragma once

#include <string>
#include <vector>

#include "app/ui/guide/guide_page.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct GuidePiece {
  // well: the ground of code, whose text is all of the code; rule: a line
  enum class Kind { words, strong, dim, code, link, well, rule } kind = Kind::words;
  Rect rect = {};  // from the top left corner of the page
  Type type = Type::words13;
  std::string text = {};
  std::string target = {};  // of a link
};

// Where everything on a page lies at one width, in pixels.
struct GuideLayout {
  std::string page;
  float width = 0, scale = 0;
  std::vector<GuidePiece> pieces;  // those of wells before what stands on them
  std::vector<float> tops;         // of every block
  float height = 0;
};

// What a press on `target` does in the window: a page ("page:03-my-checkpoint"), an example ("example:000-worked"), a
// command by its key ("key:Ctrl+E"); "" where it leads out of the window and is no link there.
std::string guide_action(const std::string& target);
// "key:Ctrl+E" for code that is the key of a command; "" for other code.
std::string guide_key(const std::string& code);

// At the right of code stands a button that copies it: 24 px at 1x.
inline constexpr float kGuideCopy = 24;

// In guide_layout.cpp.
GuideLayout lay_out_guide(Ui& ui, const GuidePage& page, float width);

// Draws what is visible of it in `area`, whose content is scrolled down by `offset`. Returns the action of the link
// that was pressed, "" for none.
std::string draw_guide_layout(Ui& ui, const GuideLayout& layout, const Rect& area, float offset);

}  // namespace headscope::ui

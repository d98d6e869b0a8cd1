// The parts that dialogs of pages on paper share: a form that scrolls above its facts, the first page, the buttons.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "app/ui/ui.h"

namespace headscope::ui {

// Draws `rows` rows of fields, which scroll in a small window under the bar `name`, and below them `facts`, which stay
// in sight. `draw` gets the y of the first row.
void draw_sheet_form(Ui& ui, const std::string& name, const Rect& area, float rows,
                     const std::pair<Rgba, std::string>& facts, const std::function<void(float top)>& draw);

// Draws the ground of a preview, and on it the picture of a page as large as it fits; none while it is empty. `key`
// names the picture in the store of textures, `version` counts its changes.
void draw_sheet_preview(Ui& ui, const std::string& name, const Rect& area, std::uint64_t key, std::uint64_t version,
                        const Image& page);

// What a footer was told in this frame, and the room that its buttons leave.
struct SheetFooter {
  bool write = false, cancelled = false;
  Rect rest;
};

// Draws Write and Cancel of the dialog `name`. Enter in a field whose name begins with NAME/f writes, too. `problem`:
// why it cannot be written now; "" where it can.
SheetFooter draw_sheet_footer(Ui& ui, const std::string& name, const std::string& problem, const Rect& footer);

}  // namespace headscope::ui

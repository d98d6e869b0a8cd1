// What the palette finds, one row a kind: which entries there are, and what choosing one does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/ui.h"
#include "app/ui/widgets/words.h"

namespace headscope::ui {

struct PaletteEntry {
  std::string label = {};        // "d_model 64"
  std::string right = {};        // its key, shape or present value
  std::string other_words = {};  // words that find it too and are not shown
  std::string refusal = {};      // why it cannot be done now; "": it can
  std::string argument = {};     // for `act`
  std::int64_t number = -1;      // for `act`
  std::int64_t second = -1;
  bool is_given = false;  // the label is a word of the user or of a file, or is spelled as an option is
  int rank = 0;           // of a spelled entry, as match_rank() has it
};

inline Words label_of(const PaletteEntry& entry) {
  return entry.is_given ? given(entry.label) : Words(entry.label);
}

struct PaletteKind {
  const char* name;  // beside each entry: "command"
  bool at_once;      // listed before anything is typed
  // Appends the entries that there are, whatever is typed; null: none.
  void (*list)(Ui& ui, std::vector<PaletteEntry>& entries);
  // Appends what the typed text spells ("d_model 64", "4,3"); null: nothing can be spelled.
  void (*spell)(Ui& ui, const std::string& typed, std::vector<PaletteEntry>& entries);
  void (*act)(Ui& ui, const PaletteEntry& entry);
};

std::span<const PaletteKind> palette_commands();  // palette_commands.cpp: commands, examples, guide, files
std::span<const PaletteKind> palette_options();   // palette_options.cpp: options of the request and their values
std::span<const PaletteKind> palette_looks();     // palette_looks.cpp: how a result is shown, and the settings
std::span<const PaletteKind> palette_places();    // palette_places.cpp: stages, heads, layers, tokens, cells

// The words of a text, without the blanks between them.
std::vector<std::string> typed_words(std::string_view typed);
// "64", "-1e20", ".5", "0,1": what may be a number or begins with one.
bool starts_number(std::string_view text);

}  // namespace headscope::ui

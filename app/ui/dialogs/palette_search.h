// What the palette shows for a typed text: the entries of all kinds, the best first.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/dialogs/palette_kinds.h"
#include "core/attention/trace.h"

namespace headscope::ui {

struct PaletteHit {
  const PaletteKind* kind = nullptr;
  PaletteEntry entry;
  std::string name;  // of its line: "Export...", "animal#2" where an earlier hit has the same label
};

// The entries are listed once and compared with what is typed when that changes.
struct PaletteSearch {
  struct Listed {
    const PaletteKind* kind = nullptr;
    PaletteEntry entry;
    std::string searched, also;  // searchable: the label as it is shown, and the other words
    std::string english;         // the label in English, where another language is shown; ""
  };
  std::vector<Listed> listed;
  std::weak_ptr<const Trace> trace;  // of which they are
  bool fresh = false;                // `hits` are those of `typed`
  std::string typed;
  std::vector<PaletteHit> hits;
  std::size_t left_out = 0;  // fitting entries beyond `hits`
  // Names of files and titles of examples, whose letters are in no other text.
  void add_text(std::string& all) const {
    for (const PaletteHit& hit : hits) all += hit.entry.label + hit.entry.right + ' ';
  }
};

// Lists the entries anew, as the palette does when it opens.
void list_palette(Ui& ui, PaletteSearch& search);

// The hits for `typed`; at most 200.
const std::vector<PaletteHit>& palette_hits(Ui& ui, PaletteSearch& search, const std::string& typed);

}  // namespace headscope::ui

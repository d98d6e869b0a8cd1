// Every mistake that diagnose() knows: the changes of core/compare/mistakes.h, and what only the lab can make.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/compare/mistakes.h"
#include "core/request/stage.h"

namespace headscope {

// One mistake. `make` changes a right layer into the wrong one in its variation 0 ... variations - 1 (other sizes,
// other constants); false: it cannot be made with these inputs, or changes no number.
struct MistakeRow {
  std::string_view name;      // "rotary-missing", as the contract spells it
  StageId step{};             // the first stage whose numbers it changes
  std::string_view sentence;  // what the wrong code does, without a full stop
  // The line of code as it probably stands, and as it should. Words in braces: mistake_code.h.
  std::string_view wrong;
  std::string_view right;
  bool (*make)(Altered& what, int variation) = nullptr;  // null: that of known_mistakes() at the same place
  int variations = 1;
};

// The tables, a file each.
std::span<const MistakeRow> score_mistakes();     // scale, softmax, softcap, sinks, dropout, precision
std::span<const MistakeRow> mask_mistakes();      // masks
std::span<const MistakeRow> position_mistakes();  // biases of positions
std::span<const MistakeRow> head_mistakes();      // projections, heads, cache, output
std::span<const MistakeRow> rotary_mistakes();    // rotary positions and norms of heads

// known_mistakes(), then the tables above.
const std::vector<MistakeRow>& all_mistakes();
// Makes the mistake at that place of all_mistakes(); see MistakeRow.
bool make_mistake(std::size_t place, int variation, Altered& what);
// Null where there is none of that name.
const MistakeRow* mistake_named(std::string_view name);

}  // namespace headscope

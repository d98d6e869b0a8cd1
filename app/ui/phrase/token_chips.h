// The tokens of a phrase as a row of chips, and the fact about them at the right of the row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/ui.h"
#include "core/request/problem.h"
#include "core/tensor/shape.h"

namespace headscope::ui {

// What the tokens are: the rows of every map, its columns, or both; none where no map that is shown has them.
enum class TokenSide { query, key, both, none };

// What is shown of the tokens: their pieces, which of them the vocabulary does not have, and what a double click does.
struct ChipRow {
  const std::vector<std::string>* tokens = nullptr;  // of the trace, which must live as long
  TokensFact fact;
  bool can_mask = false;   // a double click masks the token
  bool by_pieces = false;  // the vocabulary's, with visible blanks

  // What a chip shows, at most the beginning of a long token.
  std::string piece(std::int64_t index) const;
};
// `trace`: null while nothing is computed.
ChipRow chip_row(const Trace* trace, const std::vector<std::string>& tokens);

// Whose tokens a row of chips has, and which of them has the caret (-1: none).
struct ChipsOf {
  TokenSide side = TokenSide::both;
  std::int64_t edited = -1;
};
// The row of chips, a control of the name `name`; only those that are seen are measured. All that have room are seen.
void draw_chips(Ui& ui, const std::string& name, const Rect& area, const ChipRow& chips, const ChipsOf& of);

// The token with the caret of the box `name`, whose text is cut at `cuts` (null: not known); -1 while the box does not
// have the focus.
std::int64_t edited_token(const Ui& ui, const std::string& name, const std::vector<Range>* cuts);

// What is said at the right of the chips, cut off `line`: `label`, or why the text cannot run (`problem`; null: it
// can).
void draw_tokens_fact(Ui& ui, Rect& line, const std::string& label, const Problem* problem, bool warns = false);

// The row below a text box: chips and the fact about them.
struct TokensBelow {
  std::string name;  // of the box; the row of chips is NAME/tokens
  Rect box, line;    // the place of the box, and of the row
  const std::vector<std::string>& tokens;
  TokenSide side = TokenSide::both;
  const Problem* problem = nullptr;  // null: none
  std::int64_t edited = -1;          // see ChipsOf
};
// A box that has grown over the row leaves only what lies beside it.
void draw_tokens_below(Ui& ui, const TokensBelow& row);

}  // namespace headscope::ui

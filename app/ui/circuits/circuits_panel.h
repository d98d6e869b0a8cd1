// What heads can do with each other and with tokens, from weights alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kCircuitsMap = "circuits/map";            // the control that has the pairs of heads
inline constexpr const char* kCircuitsToken = "circuits/token";        // the field of the token that is asked of a head
inline constexpr const char* kCircuitsVocabulary = "circuits/all/qk";  // the map of scores of all tokens with all

// What is drawn of the scores of one kind, made once for an answer and a kind.
struct CompositionDrawn {
  std::shared_ptr<const Compositions::Result> of;  // null: nothing yet
  CompositionKind kind = CompositionKind::key;
  Tensor above;                               // [readers, writers]: score less that of random matrices
  std::shared_ptr<const Mask> mask;           // hides pairs that are not of an earlier layer; null: there are none
  double largest = 0;                         // |above|
  std::vector<std::string> readers, writers;  // "1.7"
  std::vector<ComposedPair> strongest;        // the largest first
};

// A map of all tokens with all, on screen.
struct VocabularyMap {
  std::uint64_t version = 0;  // different for every matrix, to identify its tiles
  bool large = false;         // drawn from tiles
  Tensor matrix;              // read within a frame, unless it is large; empty: the model has none
  ValueRange range;           // of all numbers, unless it is large
  Viewport viewport;
  std::optional<Cell> cell;  // picked
};

// What is drawn of the whole vocabulary.
struct VocabularyDrawn {
  std::shared_ptr<const VocabularyMapsWork::Result> of;  // null: nothing yet
  VocabularyMap qk, ov;
  std::vector<std::string> pieces;  // of every token, "" where it was not in sight yet
};

// Tokens that somebody typed, found once.
struct TypedTokens {
  std::shared_ptr<const Checkpoint> of;
  std::string text;
  std::vector<std::int64_t> ids;
  std::vector<std::string> pieces;  // as shown
  std::string failure;              // why there are no ids; "": none
};

// What the panel remembers.
struct CircuitsPanelState {
  CompositionDrawn drawn;
  Viewport viewport;  // of the map of pairs
  TypedTokens token, chosen;
  std::shared_ptr<const TokenMapsWork::Result> maps;  // of which the largest numbers are:
  double largest_qk = 0, largest_ov = 0;
  std::optional<Cell> set_cell;  // picked in the maps of the set
  VocabularyDrawn vocabulary;
};

// The pairs that are shown in this frame.
struct CompositionShown {
  const Trace& trace;
  const Composition& found;
  const CompositionDrawn& drawn;
  LayerHead reader, writer;  // picked
  double score = 0;          // of that pair

  std::int64_t side() const { return (found.layers - 1) * found.heads; }
  // The place of a pair in the map: readers from layer 1 on, writers from layer 0 on.
  Cell cell_of(const LayerHead& reads, const LayerHead& writes) const;
  LayerHead reader_at(const Cell& cell) const { return {cell.row / found.heads + 1, cell.row % found.heads}; }
  LayerHead writer_at(const Cell& cell) const { return {cell.column / found.heads, cell.column % found.heads}; }
  // Whether the head that writes is of an earlier layer.
  bool has_score(const Cell& cell) const { return cell.column < (cell.row / found.heads + 1) * found.heads; }
  double score_at(const Cell& cell) const;
};

// ---- circuits_answers.cpp
// "1.7".
std::string head_name(const LayerHead& head);
// The answer of the shown model; null until it is known.
std::shared_ptr<const Compositions::Result> known_composition(Ui& ui, const Trace& trace);
// Of an answer with scores, and the kind that the view asks for.
CompositionShown composition_shown(Ui& ui, const Trace& trace, const std::shared_ptr<const Compositions::Result>& of);
// Picks a pair.
void pick_pair(Ui& ui, const LayerHead& reader, const LayerHead& writer);
// The head whose tokens are shown: the picked one that reads, else that of the strongest pair, else the selected one.
LayerHead head_of_tokens(Ui& ui, const Trace& trace);
// The ids of `text`, one token or several with commas between them; kept in `typed`.
const TypedTokens& typed_tokens(TypedTokens& typed, const Trace& trace, const std::string& text, bool several);

// ---- the parts
// circuits_composition.cpp: the map of pairs, and what a cell says.
void draw_circuits_composition(Ui& ui, const CompositionShown& shown, const Rect& area);
// circuits_pair.cpp: the picked pair: its numbers, both heads side by side, and the strongest pairs.
void draw_circuits_pair(Ui& ui, const CompositionShown& shown, const Rect& area);
// circuits_tokens.cpp: what a head does with a token; draw_tokens_controls() returns the y below.
float draw_tokens_controls(Ui& ui, const Trace& trace, const Rect& area);
void draw_circuits_tokens(Ui& ui, const Trace& trace, const Rect& area);
// circuits_set.cpp: two maps of the tokens of a chosen set; nothing where none is chosen.
void draw_circuits_set(Ui& ui, const Trace& trace, const LayerHead& head, const Rect& area);

// circuits_vocabulary.cpp: two maps of all tokens with all.
void draw_circuits_vocabulary(Ui& ui, const Trace& trace, const Rect& area);
// circuits_tokens.cpp, for both: the head that is asked; a token as shown, and as it is typed so that it is found
// again.
void draw_head_steppers(Ui& ui, const Trace& trace, Rect& line);
std::string shown_piece(const Trace& trace, std::int64_t id);
std::string typed_name(const Trace& trace, std::int64_t id);

// The control that has the focus when the view opens.
std::string circuits_focus(const Ui& ui);

void draw_circuits_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui

// Why a head looks there: who wrote what the query and the key of the picked cell meet in.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kScoreGrid = "score/grid";  // the control that has the map of writers

// What the panel remembers.
struct ScorePanelState {
  std::shared_ptr<const Scores::Result> last;  // shown until a newer one is known
  std::shared_ptr<const Scores::Result> made;  // of which the following are
  Tensor terms;                                // [writers at the query, writers at the key]
  std::vector<std::string> rows, columns;      // their names on the axes
  double largest = 0;                          // |term|, finite
  std::vector<std::size_t> order;              // of terms, the largest first; the first kMostPairs
  Viewport viewport;                           // of the map of writers
};

// What is shown in this frame.
struct ScoreShown {
  const Trace& trace;  // of the layer whose score it is
  const ScoreQuestion& question;
  const ScoreWriters& found;
  const ScorePanelState& made;
  Cell pair;  // picked: places of found.queries and found.keys

  std::string query_token() const;
  std::string key_token() const;
  std::size_t place_of(const Cell& cell) const {
    return static_cast<std::size_t>(cell.row) * found.keys.size() + static_cast<std::size_t>(cell.column);
  }
};

// Shows what wrote at the key of a pair, its head or layer, in one layer's panels; nothing where no layer did.
void open_writer(Ui& ui, const ScoreShown& shown, const Cell& pair);

// score_map.cpp: the writers as a map, and what a cell of it says.
void draw_score_map(Ui& ui, const ScoreShown& shown, const Rect& area);

// score_pairs.cpp: the sum beside the score, and the strongest pairs.
void draw_score_pairs(Ui& ui, const ScoreShown& shown, const Rect& area);

void draw_score_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui

// A text that the model goes on with, a token at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kNextToken = "generate/next";  // the button that appends one

// A token that was appended here.
struct AppendedToken {
  std::int64_t id = 0;
  std::string piece;
  double probability = 0, chance = 0;
  std::int64_t kept = 1;
  bool by_hand = false;  // picked from the list, not drawn
  // The text before it, as the request had it: for the step back.
  std::string phrase_before = {};
  std::vector<std::int64_t> ids_before = {};
};

// What the panel remembers: the tokens that stood there when the first one was appended, and those appended since. The
// text may be shorter, after steps back: then these are ahead.
struct GeneratePanelState {
  std::vector<std::int64_t> prompt;
  std::vector<AppendedToken> appended;
  std::size_t behind = 0;  // of the appended ones, those that stand in the text
  int waiting = 0;         // tokens that are still to be appended by themselves
  std::shared_ptr<const NextTokens::Result> last;
};

// Brings the state in line with the tokens of the text: another text is another prompt.
void follow_text(GeneratePanelState& state, const std::vector<std::int64_t>& ids);

// Appends a token to the draft, as one step of undo.
void append_token(Ui& ui, const Trace& trace, AppendedToken token);

// generate_lists.cpp: what may follow, and what was appended.
void draw_candidates(Ui& ui, const Trace& trace, const NextTokens::Result& next, const Rect& area);
void draw_appended(Ui& ui, const Trace& trace, const Rect& area);

void draw_generate_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui

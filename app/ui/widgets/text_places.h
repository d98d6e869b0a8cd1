// The places of the bytes of a line: carets, selections, clicks. They lie between graphemes, also in lines that run in
// both directions.
#pragma once

#include <string_view>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// x of the caret before byte `at`, from the start of the line. Before a right-to-left letter: its right edge.
float caret_place(Ui& ui, Type type, std::string_view s, std::size_t at);

// The grapheme boundary nearest to x.
std::size_t byte_at(Ui& ui, Type type, std::string_view s, float x);

// The places of the bytes [begin, end): stretches from left to right, more than one where the direction changes.
struct Stretch {
  float from = 0, to = 0;
};
std::vector<Stretch> stretches_of(Ui& ui, Type type, std::string_view s, std::size_t begin, std::size_t end);

}  // namespace headscope::ui

// How well a typed text fits a name: what the palette and the list of keys are searched by. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

// A name or a typed text as it is compared: without case and accents, "-" as "_".
std::string searchable(std::string_view text);

// What was typed, prepared once for all names.
struct SearchQuery {
  std::string text;                // searchable
  std::vector<std::string> words;  // of it
  // Of each word, the words that mean the same here: "lines" for "arcs".
  std::vector<std::vector<std::string>> synonyms;
};
SearchQuery search_query(std::string_view typed);

// From this on a name fits only by letters that are scattered in it; from kMatchTypo on only by a letter that is wrong.
inline constexpr int kMatchScattered = 500, kMatchTypo = 800, kNoMatch = 1'000'000;

// The smaller, the better. `name` is searchable. Every word of the query has to fit: as the beginning of the name, as a
// word of it or the beginning of one, in its inside, by a synonym, then by its letters in their order. kNoMatch: it
// does not fit; 0: it is the name. With `forgiving` one letter (two of eight and more) may be wrong, missing, too many
// or exchanged with its neighbour.
int match_rank(const SearchQuery& query, std::string_view name, bool forgiving);

}  // namespace headscope::ui

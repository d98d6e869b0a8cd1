#include "app/ui/dialogs/palette_match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

#include "core/text/case_fold.h"

namespace headscope::ui {
namespace {

// Words that mean the same to somebody who searches: one row a meaning.
constexpr std::array<std::string_view, 9> kSynonyms[] = {
    {"arcs", "lines", "links", "edges", "curves"},
    {"theme", "dark", "light", "contrast", "appearance", "colours", "colors"},
    {"scale", "zoom", "larger", "smaller", "bigger", "size"},
    {"colormap", "colourmap", "palette", "colours", "colors"},
    {"weights", "attention", "softmax", "probabilities"},
    {"mask", "hide", "hidden", "visible"},
    {"heads", "num_heads", "head"},
    {"kv_heads", "num_kv_heads", "gqa", "grouped"},
    {"dropout", "drop"},
    {"variant", "mistake", "mistakes", "bug"},
    {"export", "save", "write", "download", "print", "csv", "picture"},
    {"worksheet", "exercise", "exercises", "homework", "students", "class", "print", "exam"},
    {"handout", "handouts", "leaflet", "students", "class", "print"},
    {"seeded", "random", "untrained", "initialised", "initialized"},
    {"demo", "trained", "training", "learned", "learning", "pretrained"},
    {"ablate", "off", "disable", "remove", "zero", "knockout"},
    {"language", "spanish", "english", "translation", "locale", "idioma"},
    {"open", "load", "read", "import"},
    {"quit", "exit", "close"},
    {"help", "keys", "shortcuts", "keyboard"},
    {"phrase", "text", "sentence", "input", "words"},
    {"settings", "preferences", "options", "configuration"},
    {"interventions", "edits", "changes", "ablate"},
    {"inspector", "details", "numbers"},
    {"request", "sidebar", "parameters"},
    {"compare", "diff", "difference"},
    {"script", "code", "pytorch", "numpy", "latex", "python"},
    {"backend", "gpu", "cpu", "device"},
    {"recompute", "again", "refresh", "reload"},
    {"go", "jump", "goto", "find"},
    {"grid", "maps", "heatmap", "heatmaps"},
    {"lesson", "teach", "teacher", "record", "slides", "presentation"},
    {"position", "positional", "sinusoidal", "encoding"},
    {"layer", "block"},
    {"fit", "whole", "reset"},
};
// These words turn what is searched for into a question: beside other words they are left out of the search.
constexpr std::string_view kFillers[] = {"how",  "many",  "much",   "the",  "a",     "an",  "of",
                                         "to",   "do",    "does",   "i",    "is",    "are", "my",
                                         "what", "where", "number", "turn", "switch"};
// A word that was begun with so many letters already finds the synonyms of the words that it may become.
constexpr std::size_t kBegun = 3;

constexpr int kInText = 1, kWholeWord = 110, kWordStart = 200, kSynonym = 150, kInside = 400, kInitials = 450;
constexpr std::size_t kShortestScattered = 2, kShortestTypo = 4, kTwoTypos = 8;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

bool starts_word(std::string_view name, std::size_t at) {
  return is_word_byte(name[at]) && (at == 0 || !is_word_byte(name[at - 1]));
}

std::size_t end_of_name_word(std::string_view name, std::size_t at) {
  while (at < name.size() && is_word_byte(name[at])) ++at;
  return at;
}

int capped(std::size_t number, int most) {
  return static_cast<int>(std::min<std::size_t>(number, static_cast<std::size_t>(most)));
}

// Where the word stands: as a whole word, at the beginning of one, inside. kNoMatch: nowhere.
int place_rank(std::string_view word, std::string_view name) {
  int best = kNoMatch;
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const bool start = at == 0 || !is_word_byte(name[at - 1]) || !is_word_byte(word.front());
    const std::size_t end = at + word.size();
    const bool whole = end == name.size() || !is_word_byte(name[end]);
    best = std::min(best, (start && whole ? kWholeWord : start ? kWordStart : kInside) + capped(at, 60));
  }
  return best;
}

// The first letters of the name's words, in order: "lh" for "layers × heads".
bool are_initials(std::string_view word, std::string_view name) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < name.size() && found < word.size(); ++at) {
    if (starts_word(name, at) && name[at] == word[found]) ++found;
  }
  return found == word.size();
}

// The letters in their order, not too far apart: how far, else kNoMatch.
int scattered_rank(std::string_view word, std::string_view name) {
  if (word.size() < kShortestScattered) return kNoMatch;
  if (are_initials(word, name)) return kInitials;
  int best = kNoMatch;
  for (std::size_t first = name.find(word.front()); first != std::string_view::npos;
       first = name.find(word.front(), first + 1)) {
    std::size_t at = first, found = 1;
    while (found < word.size() && ++at < name.size()) {
      if (name[at] == word[found]) ++found;
    }
    if (found < word.size()) break;
    const std::size_t gaps = at + 1 - first - word.size();
    if (gaps > 2 * word.size()) continue;
    best = std::min(best, kMatchScattered + capped(gaps * 8, 200) + (starts_word(name, first) ? 0 : 60));
  }
  return best;
}

// The fewest letters to change, insert, leave out or exchange with a neighbour until `a` is `b` or begins it.
std::size_t typos(std::string_view a, std::string_view b) {
  constexpr std::size_t most = 32;
  if (a.size() >= most || b.size() >= most) return most;
  // The rows of the table of distances: two before, the one before, this one.
  std::array<std::size_t, most> before_last{}, last{}, now{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before_last[j - 2] + 1);
      }
    }
    before_last = last;
    last = now;
  }
  return *std::min_element(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(b.size()) + 1);
}

int typo_rank(std::string_view word, std::string_view name) {
  const bool has_digit = std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (word.size() < kShortestTypo || has_digit) return kNoMatch;
  const std::size_t allowed = word.size() >= kTwoTypos ? 2 : 1;
  int best = kNoMatch;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!starts_word(name, at)) continue;
    const std::string_view other = name.substr(at, end_of_name_word(name, at) - at);
    // Another first letter is another word, unless the first two were exchanged.
    const bool begins = other.front() == word.front() || (other.size() > 1 && other[1] == word.front());
    if (!begins) continue;
    const std::size_t wrong = typos(word, other.substr(0, word.size() + allowed));
    if (wrong <= allowed) best = std::min(best, kMatchTypo + static_cast<int>(wrong) * 50 + capped(at, 40));
  }
  return best;
}

int word_rank(const std::string& word, const std::vector<std::string>& synonyms, std::string_view name,
              bool forgiving) {
  int best = place_rank(word, name);
  for (const std::string& other : synonyms) {
    const int rank = place_rank(other, name);
    if (rank < kInside) best = std::min(best, rank + kSynonym);
  }
  if (best == kNoMatch) best = scattered_rank(word, name);
  if (best == kNoMatch && forgiving) best = typo_rank(word, name);
  return best;
}

std::vector<std::string> synonyms_of(const std::string& word) {
  std::vector<std::string> found;
  for (const auto& row : kSynonyms) {
    const std::span<const std::string_view> meaning(row);
    const auto means = [&](std::string_view other) {
      return other == word || (word.size() >= kBegun && other.starts_with(word));
    };
    if (std::none_of(meaning.begin(), meaning.end(), means)) continue;
    for (const std::string_view other : meaning) {
      if (!other.empty() && !means(other)) found.emplace_back(other);
    }
  }
  return found;
}

}  // namespace

std::string searchable(std::string_view text) {
  std::string result = case_folded(text);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

SearchQuery search_query(std::string_view typed) {
  const auto is_filler = [](const std::string& word) {
    return std::find(std::begin(kFillers), std::end(kFillers), word) != std::end(kFillers);
  };
  SearchQuery query;
  const std::string text = searchable(typed);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string::npos) break;
    at = std::min(text.find(' ', begin), text.size());
    query.words.push_back(text.substr(begin, at - begin));
    if (!query.text.empty()) query.text += ' ';
    query.text += query.words.back();
  }
  const bool asks = !std::all_of(query.words.begin(), query.words.end(), is_filler);
  if (asks) std::erase_if(query.words, is_filler);
  for (const std::string& word : query.words) query.synonyms.push_back(synonyms_of(word));
  return query;
}

int match_rank(const SearchQuery& query, std::string_view name, bool forgiving) {
  if (query.words.empty() || name == query.text) return 0;
  if (name.starts_with(query.text)) return kInText + capped(name.size() - query.text.size(), 98);
  int worst = 0, sum = 0;
  for (std::size_t i = 0; i < query.words.size(); ++i) {
    const int rank = word_rank(query.words[i], query.synonyms[i], name, forgiving);
    if (rank >= kNoMatch) return kNoMatch;
    worst = std::max(worst, rank);
    sum += rank;
  }
  // The worst word counts, then how well the others fit and how short the name is.
  return worst + std::min(40, sum / 100) + capped(name.size() / 4, 20);
}

}  // namespace headscope::ui

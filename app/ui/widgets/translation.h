// The sentences of the window in another language, found by the English ones.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headscope::ui {

// For every English text the ways to say it, the fullest first, then shorter ones for less room. `{}` in the English
// stands for any part of the sentence (a number, a name). A way has each of them once: `{}` in their order, `{2}` by
// number; `{*}` and `{2*}` are translated themselves where there is a translation.
using TranslationTable = std::map<std::string, std::vector<std::string>>;

class Translation {
 public:
  explicit Translation(const TranslationTable& table);

  // The ways to say a whole text: by its own row, by a row with `{}`, or else part by part (at line ends, dots,
  // semicolons, colons, commas), where each part with words in it has a row. Empty: there is no translation, and the
  // text is shown as it is. Valid until forget().
  const std::vector<std::string>& ways(std::string_view english);

  // Lets go of what was found when it has become much. Call it between frames.
  void forget();

 private:
  // A part of a way: words, or the captured part `capture` (from 0; -1: none).
  struct Piece {
    std::string words;
    int capture = -1;
    bool translated = false;
  };
  struct Pattern {
    std::vector<std::string> literals;  // one more than there are captures; the first and the last may be empty
    std::vector<std::vector<Piece>> ways;
    std::size_t letters = 0;       // of the literals
    std::vector<bool> translates;  // by capture: whether some way translates it
  };
  using Captures = std::vector<std::string_view>;

  void add_row(const std::string& english, const std::vector<std::string>& ways);
  void add_inner_row(const TranslationTable& table, std::string_view english, const std::vector<std::string>& ways,
                     std::string_view lead, std::string_view tail);
  void add_pattern(const std::string& english, const std::vector<std::string>& ways);
  static bool may_be(const Pattern& pattern, std::size_t capture, std::string_view text);
  static bool match(const Pattern& pattern, std::string_view text, Captures& captures);
  struct Match {
    const Pattern* pattern = nullptr;
    Captures captures;
  };
  void match_best(const std::vector<std::size_t>& among, std::string_view text, Match& best) const;
  Match best_match(std::string_view english) const;
  std::vector<std::string> filled(const Pattern& pattern, const Captures& captures);
  // By one row; by rows, else by parts that are parted by the separators from `from` on.
  std::vector<std::string> by_rows(std::string_view english);
  std::vector<std::string> found(std::string_view english, std::size_t from);
  std::vector<std::string> by_parts(std::string_view english, std::size_t from);
  std::vector<std::string> of_part(std::string_view part, std::size_t separator);
  std::vector<std::string> as_begun(std::string_view english, std::size_t from);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <class Value>
  using ByText = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  ByText<std::vector<std::string>> rows_;
  std::vector<Pattern> patterns_;
  // The patterns by how they begin, by how they end where they begin with a capture, and all others.
  ByText<std::vector<std::size_t>> by_begin_, by_end_;
  std::vector<std::size_t> others_;
  ByText<std::vector<std::string>> known_;  // what was asked for
};

}  // namespace headscope::ui

#include "core/request/mask_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/assert.h"
#include "core/request/alibi.h"

namespace headscope {
namespace {

using Kind = MaskTerm::Kind;

constexpr MaskTermInfo kInfos[] = {
    {.kind = Kind::causal,
     .word = "causal",
     .help = "Query i sees the keys j <= i.",
     .chip = "causal",
     .chip_place = 0,
     .of_place_only = true,
     .narrow = [](MaskRule& rule, std::int64_t) { rule.open = 0; },
     .python_hidden = [](std::int64_t) { return std::string("j > i"); },
     .latex_hidden = [](const std::string& position, std::int64_t,
                        std::int64_t) { return fmt::format("$j > {}$", position); }},
    {.kind = Kind::padding,
     .word = "padding",
     .letter = "N",
     .counts = "keys",
     .help = "The last N keys are hidden from every query.",
     .chip = "padding",
     .chip_place = 3,
     .chip_number = 1,
     .narrow = [](MaskRule& rule, std::int64_t size) { rule.padding = std::max(rule.padding, size); },
     .python_hidden = [](std::int64_t size) { return fmt::format("j >= key_len - {}", size); },
     .latex_hidden = [](const std::string&, std::int64_t keys,
                        std::int64_t size) { return fmt::format("$j \\ge {}$", keys - size); }},
    {.kind = Kind::window,
     .word = "window",
     .letter = "W",
     .counts = "keys",
     .help = "Query i sees the keys with |i - j| <= W.",
     .chip = "window",
     .chip_place = 1,
     .chip_number = 2,
     .of_place_only = true,
     .narrow = [](MaskRule& rule, std::int64_t size) { rule.reach = std::min(rule.reach, size); },
     .python_hidden = [](std::int64_t size) { return fmt::format("abs(i - j) > {}", size); },
     .latex_hidden = [](const std::string& position, std::int64_t,
                        std::int64_t size) { return fmt::format("$\\lvert {} - j \\rvert > {}$", position, size); }},
    {.kind = Kind::prefix,
     .word = "prefix",
     .letter = "P",
     .counts = "keys",
     .help = "Causal, but the first P keys are open to all queries.",
     .chip = "prefix",
     .chip_place = 2,
     .chip_number = 2,
     .of_place_only = true,
     .narrow = [](MaskRule& rule, std::int64_t size) { rule.open = std::min(rule.open, size); },
     .python_hidden = [](std::int64_t size) { return fmt::format("(j > i) & (j >= {})", size); },
     .latex_hidden = [](const std::string& position, std::int64_t,
                        std::int64_t size) { return fmt::format("$j > \\max({}, {})$", position, size - 1); }},
    {.kind = Kind::alibi,
     .word = "alibi",
     .help = "Adds -slope * |i - j| to the scores, with another slope for every head (ALiBi); hides nothing.",
     .chip = "alibi",
     .chip_place = 4,
     .of_place_only = true,
     .add = add_alibi,
     .python_added = python_alibi,
     .latex_added = latex_alibi},
    {.kind = Kind::file,
     .word = "file",
     .help = "A mask from a .npy or .csv file of any shape that broadcasts to [batch, heads, query_len, key_len].",
     .chip = "file...",
     .chip_place = 5,
     .latex_hidden = [](const std::string&, std::int64_t, std::int64_t) { return std::string("the file says so"); },
     .latex_added = [](const std::string&, std::int64_t, std::int64_t) { return std::string("what its file adds"); }},
};

constexpr bool every_kind_has_its_row() {
  for (std::size_t place = 0; place < std::size(kInfos); ++place) {
    if (kInfos[place].kind != static_cast<Kind>(place)) return false;
  }
  return std::size(kInfos) == static_cast<std::size_t>(Kind::file) + 1;
}
static_assert(every_kind_has_its_row(), "one row a kind, in the order of the kinds; file is the last");

}  // namespace

std::span<const MaskTermInfo> mask_term_infos() {
  return kInfos;
}

const MaskTermInfo& mask_term_info(MaskTerm::Kind kind) {
  const auto place = static_cast<std::size_t>(kind);
  HEADSCOPE_ASSERT(place < std::size(kInfos), "no row for mask term " + std::to_string(place));
  return kInfos[place];
}

std::string mask_term_spellings(std::string_view last) {
  std::vector<std::string> words;
  for (const MaskTermInfo& info : kInfos) {
    if (info.kind == Kind::file) continue;
    words.push_back(info.takes_number() ? fmt::format("{}:{}", info.word, info.letter) : std::string(info.word));
  }
  const std::string end = words.back();
  words.pop_back();
  return fmt::format("{}{}{}", fmt::join(words, ", "), last, end);
}

std::string spelled(const MaskTerm& term) {
  if (term.kind == Kind::file) return term.path;
  const MaskTermInfo& info = mask_term_info(term.kind);
  return info.takes_number() ? fmt::format("{}:{}", info.word, term.size) : std::string(info.word);
}

std::string mask_term_text(const MaskTerm& term) {
  const MaskTermInfo& info = mask_term_info(term.kind);
  return info.takes_number() ? fmt::format("{} {}", info.word, term.size) : std::string(info.word);
}

MaskRule mask_rule_of(std::span<const MaskTerm> terms) {
  MaskRule rule;
  for (const MaskTerm& term : terms) {
    const auto narrow = mask_term_info(term.kind).narrow;
    if (narrow != nullptr) narrow(rule, term.size);
  }
  return rule;
}

bool adds_to_scores(std::span<const MaskTerm> terms) {
  return std::any_of(terms.begin(), terms.end(),
                     [](const MaskTerm& term) { return mask_term_info(term.kind).add != nullptr; });
}

}  // namespace headscope

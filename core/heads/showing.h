// How the weights of a result are shown, exported and measured: the options of a request that say so, as one value. The
// computed numbers are unchanged.
#pragma once

#include <string>
#include <vector>

#include "core/request/request.h"

namespace headscope {

// Applied in this order: weighting, pieces merged, columns hidden, the largest kept, rows divided. shown_rows.h has the
// formulas.
struct Showing {
  GroupBy groups = GroupBy::pieces;
  HideTokens hide_tokens = HideTokens::none;
  bool renormalise = false;
  Weighting weighting = Weighting::weights;
  double top_p = 1;
  friend bool operator==(const Showing&, const Showing&) = default;
  bool changes_something() const { return *this != Showing{}; }
  // Whether rows and columns are not those that were computed.
  bool changes_tokens() const { return groups != GroupBy::pieces || hide_tokens != HideTokens::none; }
};

Showing showing_of(const Request& request);

// The same without the weighting, for a matrix whose cells have it already.
Showing without_weighting(Showing view);

// "columns of special tokens hidden; pieces of a word: sum over keys, mean over queries; rows divided by their sums";
// "" when nothing is changed. Where special columns are to be hidden and `special_keys` says that there are none, it
// says that instead. For screen, pictures and files; of a result: shown_sentence() in token_groups.h.
std::string showing_sentence(const Showing& view, bool special_keys = true);

// The options of `request` that say so, as they are spelled: {"groups", "words"}; empty when nothing is changed.
struct SaidOption {
  std::string name, value;
};
std::vector<SaidOption> said_showing(const Request& request);

// Throws UsageError for the first of these options, for `what` that is about computed numbers alone: "compare".
void refuse_showing(const Request& request, const std::string& what);

}  // namespace headscope

// Groups tokens into the rows and columns of a shown matrix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/heads/showing.h"

namespace headscope {

// The tokens of every shown row and column: the same for every matrix of a trace.
struct TokenGroups {
  std::vector<std::vector<std::int64_t>> rows, columns;  // the positions of each, increasing
  std::vector<std::string> row_labels, column_labels;
};

// What becomes of hidden columns: none at all, for what is looked at; or one of no positions, whose cells are 0, where
// the places of tokens count.
enum class HiddenColumns { removed, zero };

// Neighbouring tokens of one word merge (Inputs::words); special tokens stay alone, and so does each token where words
// are not known: of inputs from files, and of keys that are not the queries' own tokens. The key of bias_k is kept.
TokenGroups token_groups(const Showing& view, const Trace& trace, HiddenColumns hidden = HiddenColumns::removed);

// showing_sentence() of what the request of a result asks for, the computed one or the shown one alike: it says so
// where special tokens are to be hidden and no key is known as one.
std::string shown_sentence(const Trace& trace);

// The group that holds a position; nullopt when none does.
std::optional<std::int64_t> group_of(const std::vector<std::vector<std::int64_t>>& groups, std::int64_t position);

}  // namespace headscope

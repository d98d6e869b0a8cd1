// Lists how a wrong layer differs from a right one where neither an option nor another input can say it. Every field
// begins as the right layer has it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/compare/number_grid.h"

namespace headscope {

struct LayerFaults {
  // How [batch, len, heads * features] and [batch, heads, len, features] become each other: by a transposition; by a
  // view that keeps the order of the numbers; or with the features as the slower axis, [batch, len, features, heads].
  enum class Layout { transposed, viewed, features_first };
  Layout split = Layout::transposed, join = Layout::transposed;
  enum class Joined { apart, summed, averaged } heads = Joined::apart;  // the features that every head of concat holds

  // The key and value head g of query head h, of G heads for H: h / (H / G), h % G, or 0.
  enum class Groups { repeated, tiled, first } key_groups = Groups::repeated, value_groups = Groups::repeated;

  // Rotary positions and the norm of heads.
  bool turns_queries = true, turns_keys = true, turns_values = false;
  std::int64_t query_shift = 0;  // added to the position of every query
  std::int64_t restart = 0;      // above 0: from this place on, positions count from 0 again
  bool rows_permuted = false,
       pairs_exchanged = false;  // what is changed in the request or its inputs, for mistakes to see
  bool norm_after_turn = false;  // the norm of heads comes after the rotary positions
  bool extra_norm = false;       // queries and keys are divided by their root mean square (eps 1e-6), without weights
  std::int64_t roll_keys = 0, roll_values = 0;  // key (value) j is that of j - roll, around the end
  bool past_last = false;                       // keys and values of the past stand behind the others
  enum class Last { right, repeated, zero } last_key = Last::right;  // the last key and value: those before it, or 0
  std::optional<NumberGrid> query_grid;  // queries are rounded to it before they are multiplied

  // Scores.
  std::optional<NumberGrid> accumulator;  // sums of products are rounded to it after every addition
  bool rounds_products = true;            // with an accumulator: every product is rounded to it, too
  double score_limit = 0;                 // above 0: a raw score beyond it is infinite
  enum class Cap { right, before_scale, without_factor, after_mask } cap = Cap::right;
  // -slopes[h] * |i + diagonal - j| is added to the scores, in place of the mask's term alibi.
  std::optional<std::vector<double>> slopes;
  bool slopes_before_scale = false;
  bool slopes_signed = false;  // -slopes[h] * (i + diagonal - j): keys behind the query gain

  bool scores_transposed = false;  // scores and weights are handed over as [batch, heads, keys, queries]

  // Mask. `hide` acts on the cells that the request hides.
  enum class Hide { right, diagonal_too, one_more_shown, transposed, first_item } hide = Hide::right;
  std::int64_t hide_first_keys = 0, hide_last_queries = 0;
  bool mask_without_past = false;  // the mask takes the first query to stand at key 0, whatever stands before it
  enum class MaskUse { hides, adds_one_where_visible, multiplies } mask_use = MaskUse::hides;

  // Softmax.
  enum class Over { keys, heads, batch, matrix } over = Over::keys;
  enum class Powers { of_e, of_two, sigmoid, logarithm } powers = Powers::of_e;
  std::optional<NumberGrid> softmax_grid;  // scores and weights are rounded to it around the softmax
  double power_limit = 0;  // above 0: powers are of the scores themselves, not less the largest, and infinite beyond it
  bool sink_kept = false;  // the column of the sink is kept in place of that of the last key
  bool plus_one = false;   // 1 is added to the sum of exp(score)
  double denominator_eps = 0;      // added to the sum of exp(score - largest)
  double weight_factor = 1;        // multiplies the weights
  bool keeps_dropout_sum = false;  // weights that dropout keeps are not divided by 1 - P

  // Output.
  bool output_missing = false, residual_added = false;

  // Whether a row needs the scores or the context of other rows.
  bool mixes_rows() const { return over == Over::matrix || join == Layout::viewed; }
  friend bool operator==(const LayerFaults&, const LayerFaults&) = default;
};

}  // namespace headscope

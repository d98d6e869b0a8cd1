// What relative positions add to scores: their keys and queries, and what queries and keys give with these.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/model/relative_positions.h"
#include "core/script/script_mask.h"

namespace headscope {
namespace {

// Which row of the table belongs to query i and key j, [query_len, key_len].
Tensor rows_of_pairs(const Trace& trace) {
  const RelativePositions& positions = *trace.inputs->relative_positions;
  const std::int64_t len = trace.query_len();
  std::vector<float> rows;
  for (std::int64_t i = 0; i < len; ++i) {
    for (std::int64_t j = 0; j < len; ++j) rows.push_back(static_cast<float>(positions.row_of(i, j)));
  }
  return Tensor::of({len, len}, {Axis::query, Axis::key}, std::move(rows));
}

// "position_keys = ...": the rows of the table, projected and split into heads. `shared` names the layer's projection.
void write_position_heads(ScoreLines& c, const std::string& made, const std::string& shared, const Linear& own) {
  ScriptWriter& w = c.w;
  const bool has_own = c.trace.inputs->relative_positions->rule.own_projections;
  const std::string name = has_own ? "position_" + shared : shared;
  const Linear& linear = has_own ? own : shared == "key" ? c.trace.inputs->weights.key : c.trace.inputs->weights.query;
  if (has_own) {
    w.line(fmt::format("{0}_weight = {1}", name, w.data(name + "_weight", own.weight)));
    if (!own.bias.empty()) w.line(fmt::format("{0}_bias = {1}", name, w.data(name + "_bias", own.bias)));
  }
  const bool bias = !linear.bias.empty();
  w.line(fmt::format("{0} = F.linear(relative, {1}_weight{2})", made, name, bias ? ", " + name + "_bias" : ""),
         fmt::format("{0} = relative @ {1}_weight.T{2}", made, name, bias ? " + " + name + "_bias" : ""));
  w.line(fmt::format("{0} = {0}.reshape(-1, num_heads, head_dim).permute(1, 0, 2)", made),
         fmt::format("{0} = {0}.reshape(-1, num_heads, head_dim).transpose(1, 0, 2)", made));
}

}  // namespace

void write_position_scores(ScoreLines& c) {
  ScriptWriter& w = c.w;
  if (c.trace.position_heads == nullptr) return;
  const LayerWeights& weights = c.trace.inputs->weights;
  const bool keys = c.trace.find(StageId::c2p) != nullptr, queries = c.trace.find(StageId::p2c) != nullptr;
  w.section({keys ? StageId::c2p : StageId::p2c}, "relative positions");
  w.line(fmt::format("relative = {}  # rows of their table, after its norm",
                     w.data("relative_positions", c.trace.inputs->relative_positions->rows)));
  const std::string rows = w.data("relative_row", rows_of_pairs(c.trace));
  w.line(fmt::format("row = {}.long()  # of query i and key j", rows),
         fmt::format("row = {}.astype(np.int64)  # of query i and key j", rows));
  w.line("row = row.expand(batch, num_heads, query_len, key_len)",
         "row = np.broadcast_to(row, (batch, num_heads, query_len, key_len))");
  if (keys) {
    write_position_heads(c, "position_keys", "key", weights.position_key);
    w.section({StageId::c2p}, "c2p: every query with the key of the pair's relative position");
    w.stage(StageId::c2p, scaled_in_python(c.trace, "(query @ position_keys.transpose(-1, -2)).gather(-1, row)"),
            scaled_in_python(c.trace, "np.take_along_axis(query @ position_keys.swapaxes(-1, -2), row, axis=-1)"));
  }
  if (!queries) return;
  w.section({StageId::p2c}, "p2c: every key with the query of the pair's relative position");
  write_position_heads(c, "position_queries", "query", weights.position_query);
  w.line("of_keys = key @ position_queries.transpose(-1, -2)", "of_keys = key @ position_queries.swapaxes(-1, -2)");
  w.stage(StageId::p2c, scaled_in_python(c.trace, "of_keys.gather(-1, row.transpose(-1, -2)).transpose(-1, -2)"),
          scaled_in_python(c.trace, "np.take_along_axis(of_keys, row.swapaxes(-1, -2), axis=-1).swapaxes(-1, -2)"));
}

std::string position_terms(const Trace& trace) {
  std::string text;
  for (const StageId stage : {StageId::c2p, StageId::p2c}) {
    if (trace.find(stage) != nullptr) text += fmt::format(" + {}", stage_name(stage));
  }
  return text;
}

}  // namespace headscope

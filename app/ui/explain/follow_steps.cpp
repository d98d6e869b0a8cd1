#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/explain/explanation.h"
#include "app/ui/explain/follow.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/pipeline_cards.h"
#include "core/attention/stage_layout.h"
#include "core/explain/cell_origin.h"

namespace headscope::ui {
namespace {

// The query's cell before it was cut into heads: back over the copies, until `stage` is reached.
std::optional<CellPlace> before_heads(const Trace& trace, StageId stage, const Followed& followed) {
  if (trace.find(StageId::query) == nullptr) return std::nullopt;
  CellPlace at = followed_place(trace, StageId::query, followed);
  while (at.stage != stage) {
    const CellOrigin origin = sources_of(trace, at.stage, at.index);
    const bool moved = origin.step == CellStep::copied || origin.step == CellStep::rotated;
    if (!moved || origin.sources.empty() || !origin.sources[0].stage) return std::nullopt;
    CellPlace next{*origin.sources[0].stage, {}};
    for (const Range& range : origin.sources[0].region) {
      next.index.push_back(range.begin + (range.size() > 1 ? origin.at : 0));
    }
    at = next;
  }
  return at;
}

// Where the merge puts a context cell; the heads may be merged wrongly.
CellPlace merged(const Trace& trace, const CellPlace& context) {
  for (const LinkedCells& cells : linked_cells(trace, context.stage, context.index)) {
    if (cells.stage != StageId::concat) continue;
    return {StageId::concat, {cells.region[0].begin, cells.region[1].begin, cells.region[2].begin}};
  }
  return {StageId::concat, {context.index[0], context.index[2], 0}};
}

std::string plural(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// What a sentence about a cell tells.
struct Told {
  PanelData& data;
  const CellPlace& place;
  const CellReport* report;  // null: not computed yet
  SlicePlace at;
  RoleText query, key;  // the tokens of the cell
  std::string value;    // of the cell

  const Trace& trace() const { return data.trace(); }
  const Inputs& inputs() const { return *trace().inputs; }
  // The number that the cell was made from.
  std::string before() const {
    return report != nullptr && !report->cell().operands.empty()
               ? explained_number(report->cell().operands.front().value)
               : std::string("\u2026");
  }
};

RoleText plain(std::string text) {
  return {std::move(text), TextRole::plain};
}

using Words = std::vector<RoleText>;

Words input_words(const Told& t) {
  const std::string numbers = plural(t.trace().tensor(StageId::input).dim(2), "number");
  return {t.query, plain(fmt::format(" enters as {}; feature {} is {}.", numbers, t.at.cell.column, t.value))};
}

Words projection_words(const Told& t) {
  const std::size_t products = t.report != nullptr ? t.report->terms.size() : 0;
  return {plain("Each number is a row of weights times the vector of "), t.query,
          plain(fmt::format(": {} products give {}.", products, t.value))};
}

Words query_words(const Told& t) {
  return {plain(fmt::format("Head {} takes {} of them as the query of ", t.at.slice, t.inputs().head_dim)), t.query,
          plain("; keys and values are cut likewise.")};
}

Words raw_score_words(const Told& t) {
  return {plain("How well does the query of "), t.query, plain(" fit the key of "), t.key,
          plain(fmt::format("? {} products sum to {}.", t.inputs().head_dim, t.value))};
}

Words position_words(const Told& t) {
  const bool of_query = t.place.stage == StageId::c2p;
  return {plain(of_query ? "What the query of " : "What the key of "), of_query ? t.query : t.key,
          plain(of_query ? " gives with how far " : " gives with how far it is from "), of_query ? t.key : t.query,
          plain(of_query ? fmt::format(" is from it: {}.", t.value) : fmt::format(": {}.", t.value))};
}

Words mask_words(const Told& t) {
  const bool hidden = t.trace().mask->hidden.hidden(t.at.batch, t.at.slice, t.at.cell.row, t.at.cell.column);
  return {plain("May "), t.query, plain(" look at "), t.key,
          plain(hidden ? fmt::format("? No: its score becomes {}.", t.value)
                       : fmt::format("? Yes: its score is {}.", t.value))};
}

Words score_words(const Told& t) {
  return {plain(fmt::format("The score of {} becomes {}: sizes that softmax can tell apart.", t.before(), t.value))};
}

Words weight_words(const Told& t) {
  return {plain("exp of each score over the sum of the row: "), t.query,
          plain(fmt::format(" gives {} of 1 to ", t.value)), t.key, plain(".")};
}

Words dropout_words(const Told& t) {
  return {plain(fmt::format("Dropout: {} becomes {}.", t.before(), t.value))};
}

Words context_words(const Told& t) {
  return {plain("The values of all keys, each times its weight, are summed: feature "),
          plain(fmt::format("{} of ", t.at.cell.column)), t.query, plain(fmt::format(" is {}.", t.value))};
}

Words concat_words(const Told& t) {
  if (t.trace().request.merge == Merge::direct) {
    const std::int64_t query = tokens_of(t.trace(), t.place).query;
    return {
        plain(fmt::format("Merged without transposing back: this cell of row {} holds a number of ", t.at.cell.row)),
        {token_or_index(t.data.rows(StageId::context), query), TextRole::query},
        plain(".")};
  }
  const std::int64_t width = t.inputs().value_head_dim;
  return {plain(fmt::format("The {} context vectors of ", t.trace().num_heads())), t.query,
          plain(fmt::format(" are laid side by side: head h fills columns {0}h to {0}h + {1}.", width, width - 1))};
}

Words sink_words(const Told& t) {
  return {plain(
      fmt::format("The head's learned sink joins the softmax and takes {} of this row; no key gets it.", t.value))};
}

Words output_words(const Told& t) {
  return {plain("A last row of weights mixes all heads: feature "), plain(fmt::format("{} of ", t.at.cell.column)),
          t.query, plain(fmt::format(" is {}.", t.value))};
}

Words norm_words(const Told& t) {
  return {plain("The model normalises the row before it is added to what entered: feature "),
          plain(fmt::format("{} of ", t.at.cell.column)), t.query, plain(fmt::format(" becomes {}.", t.value))};
}

struct StageSentence {
  StageId stage;
  Words (*words)(const Told&);
};
constexpr StageSentence kSentences[] = {
    {StageId::input, input_words},
    {StageId::qkv, projection_words},
    {StageId::query_proj, projection_words},
    {StageId::query, query_words},
    {StageId::raw_scores, raw_score_words},
    {StageId::c2p, position_words},
    {StageId::p2c, position_words},
    {StageId::masked_scores, mask_words},
    {StageId::scores, score_words},
    {StageId::capped_scores, score_words},
    {StageId::weights, weight_words},
    {StageId::dropped_weights, dropout_words},
    {StageId::sink_weights, sink_words},
    {StageId::context, context_words},
    {StageId::concat, concat_words},
    {StageId::output, output_words},
    {StageId::attention_norm_out, norm_words},
};

}  // namespace

std::vector<StageId> follow_steps(const Trace& trace) {
  std::vector<StageId> steps;
  for (const PipelineCard& card : pipeline_cards(trace)) {
    const Stage& first = *trace.find(card.stages.front());
    if (first.id == StageId::captured_weights) continue;  // nothing is made of them
    if (!first.equals_previous || steps.empty()) steps.push_back(first.id);
  }
  return steps;
}

std::size_t follow_step_of(const Trace& trace, StageId stage) {
  const std::vector<StageId> steps = follow_steps(trace);
  StageId shown = stage;
  for (const PipelineCard& card : pipeline_cards(trace)) {
    if (card.has(stage)) shown = card.stages.front();
  }
  std::size_t found = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (steps[at] <= shown) found = at;
  }
  return found;
}

CellPlace followed_place(const Trace& trace, StageId stage, const Followed& followed) {
  const Tensor& tensor = trace.tensor(stage);
  const auto within = [](std::int64_t at, std::int64_t count) {
    return std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(0, count - 1));
  };
  const std::int64_t b = followed.batch;
  if (is_score_like(stage)) {
    return {stage, {b, followed.head, within(followed.token, tensor.dim(2)), within(followed.key, tensor.dim(3))}};
  }
  if (stage == StageId::query || stage == StageId::context) {
    return {stage, {b, followed.head, within(followed.token, tensor.dim(2)), within(followed.feature, tensor.dim(3))}};
  }
  if (stage == StageId::concat && trace.find(StageId::context) != nullptr) {
    return merged(trace, followed_place(trace, StageId::context, followed));
  }
  if (stage == StageId::qkv || stage == StageId::query_proj) {
    if (const std::optional<CellPlace> found = before_heads(trace, stage, followed)) return *found;
  }
  if (tensor.rank() == 4) {
    return place_of(trace, stage, b, slice_of_head(trace, stage, followed.head),
                    {within(rows_are_keys(stage) ? followed.key : followed.token, tensor.dim(2)),
                     within(followed.feature, tensor.dim(3))});
  }
  std::int64_t column = followed.feature;
  if (stage == StageId::output || stage == StageId::attention_norm_out)
    column += followed.head * trace.inputs->value_head_dim;
  return {stage, {b, within(followed.token, tensor.dim(1)), within(column, tensor.dim(2))}};
}

Followed followed_from(const Trace& trace, const CellPlace& place, const Followed& before) {
  Followed followed = before;
  const SlicePlace at = slice_place(place);
  followed.batch = at.batch;
  if (rows_are_keys(place.stage)) {
    followed.key = at.cell.row;
  } else {
    followed.token = tokens_of(trace, place).query;
  }
  if (is_score_like(place.stage)) followed.key = at.cell.column;
  if (place.stage == StageId::query || place.stage == StageId::context) followed.feature = at.cell.column;
  const bool own_head = is_score_like(place.stage) || place.stage == StageId::query || place.stage == StageId::context;
  if (own_head) followed.head = at.slice;
  if (place.stage == StageId::concat) {
    const Provenance from = provenance_of(trace.request.merge, trace.num_heads(), trace.query_len(),
                                          trace.inputs->value_head_dim, at.cell.row, at.cell.column);
    followed.head = from.head;
    followed.feature = from.feature;
  }
  return followed;
}

std::vector<RoleText> follow_sentence(PanelData& data, const CellPlace& place, const CellReport* report) {
  const TokenPair tokens = tokens_of(data.trace(), place);
  const std::string query = token_or_index(data.rows(place.stage), std::max<std::int64_t>(0, tokens.query));
  const std::string key = token_or_index(data.columns(StageId::weights), std::max<std::int64_t>(0, tokens.key));
  const Told told{data,
                  place,
                  report,
                  slice_place(place),
                  {query, TextRole::query},
                  {key, TextRole::key},
                  report != nullptr ? explained_number(report->cell().value) : std::string("\u2026")};
  for (const StageSentence& sentence : kSentences) {
    if (sentence.stage == place.stage) return sentence.words(told);
  }
  return {plain(fmt::format("{} is {}.", cell_name(stage_name(place.stage), place.index), told.value))};
}

}  // namespace headscope::ui

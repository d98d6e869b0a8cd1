#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::vector<StageId> follow_steps(const Trace& trace) {
  std::vector<StageId> steps;
  for (const PipelineCard& card : pipeline_cards(trace)) {
    const Stage& first = *trace.find(card.stages.front());
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
  if (stage == StageId::output) column += followed.head * trace.inputs->value_head_dim;
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
  using S = StageId;
  const Trace& trace = data.trace();
  const Inputs& inputs = *trace.inputs;
  const SlicePlace at = slice_place(place);
  const TokenPair tokens = tokens_of(trace, place);
  const RoleText query{token_or_index(data.rows(place.stage), std::max<std::int64_t>(0, tokens.query)),
                       TextRole::query};
  const RoleText key{token_or_index(data.columns(S::weights), std::max<std::int64_t>(0, tokens.key)), TextRole::key};
  std::vector<RoleText> words;
  const auto say = [&](std::string text) { words.push_back({std::move(text), TextRole::plain}); };
  const std::string value = report != nullptr ? number_text(report->cell().value) : std::string("\u2026");
  const auto before = [&] {
    return report != nullptr && !report->cell().operands.empty() ? number_text(report->cell().operands.front().value)
                                                                 : std::string("\u2026");
  };
  switch (place.stage) {
    case S::input:
      words.push_back(query);
      say(fmt::format(" enters as {}; feature {} is {}.", plural(trace.tensor(S::input).dim(2), "number"),
                      at.cell.column, value));
      break;
    case S::qkv:
    case S::query_proj:
      say("Each number is a row of weights times the vector of ");
      words.push_back(query);
      say(fmt::format(": {} products give {}.", report != nullptr ? report->terms.size() : 0, value));
      break;
    case S::query:
      say(fmt::format("Head {} takes {} of them as the query of ", at.slice, inputs.head_dim));
      words.push_back(query);
      say("; keys and values are cut likewise.");
      break;
    case S::raw_scores:
      say("How well does the query of ");
      words.push_back(query);
      say(" fit the key of ");
      words.push_back(key);
      say(fmt::format("? {} products sum to {}.", inputs.head_dim, value));
      break;
    case S::masked_scores:
      say("May ");
      words.push_back(query);
      say(" look at ");
      words.push_back(key);
      if (trace.mask->hidden.hidden(at.batch, at.slice, at.cell.row, at.cell.column)) {
        say(fmt::format("? No: its score becomes {}.", value));
      } else {
        say(fmt::format("? Yes: its score is {}.", value));
      }
      break;
    case S::scores:
    case S::capped_scores:
      say(fmt::format("The score of {} becomes {}: sizes that softmax can tell apart.", before(), value));
      break;
    case S::weights:
      say("exp of each score over the sum of the row: ");
      words.push_back(query);
      say(fmt::format(" gives {} of 1 to ", value));
      words.push_back(key);
      say(".");
      break;
    case S::dropped_weights:
      say(fmt::format("Dropout: {} becomes {}.", before(), value));
      break;
    case S::context:
      say("The values of all keys, each times its weight, are summed: feature ");
      say(fmt::format("{} of ", at.cell.column));
      words.push_back(query);
      say(fmt::format(" is {}.", value));
      break;
    case S::concat:
      if (trace.request.merge == Merge::direct) {
        say(fmt::format("Merged without transposing back: this cell of row {} holds a number of ", at.cell.row));
        words.push_back({token_or_index(data.rows(S::context), tokens.query), TextRole::query});
        say(".");
      } else {
        say(fmt::format("The {} context vectors of ", trace.num_heads()));
        words.push_back(query);
        say(fmt::format(" are laid side by side: head h fills columns {0}h to {0}h + {1}.", inputs.value_head_dim,
                        inputs.value_head_dim - 1));
      }
      break;
    case S::output:
      say("A last row of weights mixes all heads: feature ");
      say(fmt::format("{} of ", at.cell.column));
      words.push_back(query);
      say(fmt::format(" is {}.", value));
      break;
    default:
      say(fmt::format("{} is {}.", cell_name(stage_name(place.stage), place.index), value));
      break;
  }
  return words;
}

}  // namespace headscope::ui

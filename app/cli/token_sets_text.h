// What a head does with the tokens of a set, along which directions, and each head's own scores: as text, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "app/cli/circuits_text.h"
#include "core/circuits/head_scores.h"
#include "core/circuits/token_directions.h"
#include "core/circuits/token_maps.h"
#include "core/model/checkpoint.h"

namespace headscope::cli {

// Of which model and head.
struct HeadHeading {
  CircuitsHeading of;
  const Checkpoint& checkpoint;
  std::int64_t layer = 0, head = 0;
};

// Two tables, a row and a column a token: scores, and logits where there are any.
std::string token_maps_text(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const TokenMaps& found);
// {model, norms, layer, head, tokens: [{id, token}], qk: [[..]], ov: [[..]]}; ov is null without a next-token head.
std::string token_maps_json(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const TokenMaps& found);
// map,from_id,from,to_id,to,value
std::string token_maps_csv(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const TokenMaps& found);

// A paragraph a direction: its singular value, its share, and the tokens at both ends.
std::string directions_text(const HeadHeading& heading, const HeadDirections& found);
// {model, norms, layer, head, qk: [{value, share, from: [{id, token, value}], to}], ov}
std::string directions_json(const HeadHeading& heading, const HeadDirections& found);
// circuit,direction,singular_value,end,rank,id,token,value
std::string directions_csv(const HeadHeading& heading, const HeadDirections& found);

// A line a head.
std::string head_scores_text(const CircuitsHeading& heading, const std::vector<HeadScores>& heads);
// {model, norms, heads: [{layer, head, copying, previous_token}]}; null where the model has no such score.
std::string head_scores_json(const CircuitsHeading& heading, const std::vector<HeadScores>& heads);
// layer,head,copying,previous_token; empty likewise.
std::string head_scores_csv(const std::vector<HeadScores>& heads);

}  // namespace headscope::cli

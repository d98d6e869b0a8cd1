// What a head does with tokens, as text for the terminal, as JSON and as CSV.
#pragma once

#include <string>

#include "app/cli/circuits_text.h"
#include "core/circuits/token_circuits.h"
#include "core/model/checkpoint.h"

namespace headscope::cli {

// Of which model, head and token.
struct TokenHeading {
  CircuitsHeading of;
  const Checkpoint& checkpoint;
  TokenQuestion question;
};

// A line a rank: the keys that the token looks at, the queries that look at it, and the tokens that are written.
std::string token_circuit_text(const TokenHeading& heading, const TokenCircuit& found);
// {model, norms, layer, head, token: {id, token}, keys: [{id, token, value}], queries, writes}
std::string token_circuit_json(const TokenHeading& heading, const TokenCircuit& found);
// list,rank,id,token,value
std::string token_circuit_csv(const TokenHeading& heading, const TokenCircuit& found);

}  // namespace headscope::cli

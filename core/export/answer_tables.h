// Answers about a model as CSV: a line a number. The command line writes them with --out, the window exports the same.
#pragma once

#include <functional>
#include <string>

#include "core/attention/trace.h"
#include "core/circuits/composition.h"
#include "core/explain/attribution.h"
#include "core/explain/logit_lens.h"
#include "core/explain/score_writers.h"
#include "core/heads/query_key_scatter.h"
#include "core/sweep/pair_sweep.h"
#include "core/sweep/sweep.h"
#include "core/sweep/weight_gradients.h"

namespace headscope {

// How tokens are written: as they are, or so that no spreadsheet takes one for a formula (safe_text()).
enum class TokenTexts { plain, safe };

// part,layer,head,position,token,value: all parts, a line each, empty where one has no such thing; the last lines are
// sum and total.
std::string attribution_csv(const Trace& trace, const Attribution& found, TokenTexts tokens = TokenTexts::plain);

// layer,head,position,token,id,predicted,logit,probability: a line a row of the lens and position, the most probable
// token there; layer -1 is the embeddings alone; head is empty but in a lens of heads.
std::string lens_csv(const Trace& trace, const LogitLens& lens, TokenTexts tokens = TokenTexts::plain);

// kind,position,token,x,y: queries, then keys; x and y are nan where the vector is not finite.
std::string scatter_csv(const Trace& trace, const QueryKeyScatter& scatter, TokenTexts tokens = TokenTexts::plain);

// layer,head,position,stage,value: a line a cell, empty where something does not apply; with estimates a column more,
// of paths from_layer,from_head.
std::string sweep_csv(const Sweep& sweep);

// layer,head,position,stage,mean,standard_error,same_sign, and the same three of the change; of paths
// from_layer,from_head, of neurons neuron. An error of one pair is empty.
std::string pair_sweep_csv(const PairSweep& found);

// A line a pair; then sum and total.
std::string score_csv(const ScoreWriters& found);

// Every pair of one kind, the reading heads in order, for each the writing ones.
void for_each_pair(const Composition& found, CompositionKind kind,
                   const std::function<void(const ComposedPair& pair)>& visit);

// kind,layer,head,from_layer,from_head,value: every pair of every kind.
std::string composition_csv(const Composition& found);

// layer,head,sum,absolute,largest,query,key: a line a head.
std::string gradients_csv(const WeightGradients& found);

}  // namespace headscope

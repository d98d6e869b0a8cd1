// Everything that answers the views in the background, in one place.
#pragma once

#include <functional>

#include "app/session/background/background_queries.h"
#include "app/session/background/cell_search.h"
#include "app/session/background/corpora.h"
#include "app/session/background/explanations.h"
#include "app/session/background/head_effects.h"
#include "app/session/background/maps/map_tiles.h"
#include "app/session/background/maps/slice_numbers.h"
#include "app/session/background/models/model_numbers.h"
#include "app/session/background/precision_numbers.h"
#include "app/session/background/runs_without.h"
#include "app/session/background/sweeps.h"
#include "app/session/background/variant_numbers.h"
#include "app/session/background/weight_gradient_work.h"
#include "app/session/background/work/compute_queue.h"
#include "app/session/background/work/executor.h"

namespace headscope {

struct Background {
  // The services run on siblings of `like`, which share threads, and call `wake` when something new is there. `compute`
  // runs requests that a view compares the shown one with, on an engine of these options.
  Background(const Executor& like, const std::function<void()>& wake, Compute compute, EngineOptions engine);

  // Pictures and numbers of matrices that are too large to read within a frame.
  MapTiles maps;
  SliceNumbers slice_numbers;
  // Numbers for the view over all layers and heads.
  ModelNumbers model_numbers;
  // Numbers for the bug lab.
  VariantNumbers variant_numbers;
  PrecisionNumbers precision_numbers;
  // Reports on single numbers.
  Explanations explanations;
  // Of the pinned and the current result.
  Comparisons comparisons;
  Differences differences;
  // What one number depends on.
  Sensitivities sensitivities;
  // The cells of the large picture that meet a condition.
  CellSearches cell_searches;
  // Of the words of the text.
  TextShades text_shades;
  // What a model would say after every layer, and who made a logit.
  Lenses lenses;
  Attributions attributions;
  // What a metric becomes when one part after the other takes numbers of the pinned result.
  Sweeps sweeps;
  // What every attention weight does to a number of the model.
  Gradients gradients;
  // Who wrote what a query and a key meet in.
  Scores scores;
  // What heads can do with each other and with tokens.
  Compositions compositions;
  TokenCircuits token_circuits;
  TokenMapsWork token_maps;
  VocabularyMapsWork vocabulary_maps;
  // A head's queries and keys as points.
  Scatters scatters;
  // Which token follows the text.
  NextTokens next_tokens;
  // It says what a model predicts with and without a head.
  HeadEffects head_effects;
  // The result without one of its heads, beside which it is compared.
  RunsWithout runs_without;
  // What a scan has counted, and its phrases.
  Corpora corpora;
  CorpusLists corpus_lists;
  CorpusModels corpus_models;
  CorpusPhrases corpus_phrases;
  CorpusPointPhrases corpus_point_phrases;
  PointsOfHead points_of_head;
  HeadsLikeOne heads_like_one;
  HeadTrees head_trees;
  HeadVisHeads headvis_heads;

  bool busy() const;  // one of them has work
};

}  // namespace headscope

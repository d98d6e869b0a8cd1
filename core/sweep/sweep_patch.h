// What a sweep patches, with which numbers, and which of two runs: words that requests of pictures share with the
// computation.
#pragma once

#include <cstdint>

namespace headscope {

// What is patched, a run a cell.
enum class SweepPatch {
  heads,            // the context of one head of one layer, before W_O, at all positions
  positions,        // the stream that enters a layer, at one position
  stages,           // a whole stage of a layer: kSweepStages
  paths,            // the query, key or value of a head, by what one earlier head alone makes of it
  heads_positions,  // the context of one head of one layer at one position
  head_parts,       // the query, key, value, weights or context of one head of one layer
  mlps,             // what the MLP of one layer adds to the stream, at all positions
  neurons,          // one neuron of the MLP of one layer, at all positions
};
inline constexpr const char* kSweepPatchNames[] = {"heads",           "positions",  "stages", "paths",
                                                   "heads-positions", "head-parts", "mlps",   "neurons"};

// Which run takes numbers: the request those of A (--against), or A those of the request.
enum class SweepDirection { denoise, noise };
inline constexpr const char* kSweepDirectionNames[] = {"denoise", "noise"};

// Numbers that no other run gives. zero: 0 everywhere; mean: at every position the mean over positions, of every
// feature (and of every head).
enum class Ablation { zero, mean };
inline constexpr const char* kAblationNames[] = {"zero", "mean"};

// Of integrated gradients, a run each.
inline constexpr std::int64_t kMostSteps = 1000;

// Whether cells are estimated from gradients: not, beside their runs, or in place of them.
enum class SweepEstimate { none, beside, alone };
inline constexpr const char* kSweepEstimateNames[] = {"none", "beside", "alone"};

}  // namespace headscope

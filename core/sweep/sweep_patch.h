// What a sweep patches, and which of two runs: words that requests of pictures share with the computation.
#pragma once

namespace headscope {

// What is patched, a run a cell.
enum class SweepPatch {
  heads,      // the context of one head of one layer, before W_O, at all positions
  positions,  // the stream that enters a layer, at one position
  stages,     // a whole stage of a layer: kSweepStages
};
inline constexpr const char* kSweepPatchNames[] = {"heads", "positions", "stages"};

// Which run takes numbers: the request those of A (--against), or A those of the request.
enum class SweepDirection { denoise, noise };
inline constexpr const char* kSweepDirectionNames[] = {"denoise", "noise"};

}  // namespace headscope

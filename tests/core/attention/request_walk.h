// Random walks over all of a request hold every result of an engine, whatever it computed before, against that of a new
// engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "tests/core/attention/drawn_request.h"

namespace headscope {

// One run of an engine.
struct WalkRun {
  enum class End { whole, before, early };  // cancelled before it begins, or when it gives its first early trace
  Settings settings;
  End end = End::whole;
};

// The answer is a whole run, or says why there is none.
struct Answer {
  std::shared_ptr<const Trace> trace;
  std::string refusal;
  bool cancelled = false;
  std::vector<std::shared_ptr<const Trace>> early;
};
Answer answer_of(Engine& engine, const WalkRun& run);

// Engines of a walk. Their session A, for --patch-from, is the kind's base with another token in its text.
EngineOptions walk_options(const WalkKind& kind, bool reuse, bool whole_model, std::int64_t stage_memory);

// Counts what happened, so that a test can say that something did.
struct WalkCounts {
  std::int64_t steps = 0, answers = 0, refusals = 0, cancelled = 0, rows_kept = 0, stages_kept = 0, previews = 0;
};

// Takes `steps` steps, each a run by an engine that uses everything again, and compares every result, every refusal and
// every early trace with those of a new engine, and now and then an older result again. The first difference is a test
// failure that names the shortest list of requests that shows it.
WalkCounts walk(const std::vector<WalkKind>& kinds, std::int64_t steps, std::uint64_t seed, const std::string& files);

// A walk takes `share` of 20,000 steps, or of HEADSCOPE_WALK_STEPS; its seed is HEADSCOPE_WALK_SEED, or 1.
std::int64_t walk_steps(std::int64_t share);
std::uint64_t walk_seed();

}  // namespace headscope

#include "tests/core/attention/request_walk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"
#include "tests/core/attention/same_results.h"
#include "tests/monkey/shrink.h"

namespace headscope {
namespace {

using Runs = std::vector<WalkRun>;

// Says how engines of a part of a walk are made.
struct Means {
  const WalkKind* kind = nullptr;
  bool whole_model = true;
  std::int64_t stage_memory = kDefaultStageMemory;

  EngineOptions options(bool reuse) const { return walk_options(*kind, reuse, whole_model, stage_memory); }
};

// A result and what a new engine says to the same request.
struct Pair {
  std::shared_ptr<const Trace> found, wanted;
};

// One engine and what it gave lately.
class Engines {
 public:
  explicit Engines(const Means& means) : means_(means), engine_(means.options(true)) {}

  // Says what is wrong with a run; "" where nothing is. With `again` an older result is compared too.
  std::string wrong_with(const WalkRun& run, bool again, WalkCounts& counts) {
    const Answer found = answer_of(engine_, run);
    if (found.cancelled) ++counts.cancelled;
    if (found.cancelled || run.end != WalkRun::End::whole) return "";
    Engine fresh(means_.options(false));
    const Answer wanted = answer_of(fresh, run);
    for (const std::string* text : {&found.refusal, &wanted.refusal}) {
      if (text->find("this is a bug") != std::string::npos) return *text;
    }
    if (found.refusal != wanted.refusal) return fmt::format("'{}' for '{}'", found.refusal, wanted.refusal);
    if (wanted.trace == nullptr) {
      ++counts.refusals;
      return "";
    }
    count(found, counts);
    std::string what = difference(*found.trace, *wanted.trace);
    for (const auto& early : found.early) {
      if (what.empty()) what = early_difference(*early, *wanted.trace);
    }
    if (!what.empty()) return what;
    if (again && !held_.empty()) {
      what = difference(*held_.front().found, *held_.front().wanted);
      if (!what.empty()) return "a result before: " + what;
    }
    if (held_.size() == 3) held_.erase(held_.begin());  // its memory goes to the next
    held_.push_back({found.trace, wanted.trace});
    return "";
  }

  std::shared_ptr<const Trace> last() const { return held_.empty() ? nullptr : held_.back().found; }

 private:
  static void count(const Answer& found, WalkCounts& counts) {
    ++counts.answers;
    if (found.trace->kept_queries > 0) ++counts.rows_kept;
    if (found.trace->kept_positions > 0) ++counts.stages_kept;
    for (const auto& early : found.early) counts.previews += early->preview ? 1 : 0;
  }

  const Means means_;
  Engine engine_;
  std::vector<Pair> held_;
};

// Does the runs one after the other, and says what is wrong with the last of them.
std::string wrong_at_end(const Means& means, const Runs& runs) {
  Engines engines(means);
  WalkCounts counts;
  std::string what;
  for (const WalkRun& run : runs) what = engines.wrong_with(run, true, counts);
  return what;
}

// The runs with an option left out of all of them.
Runs without(const Runs& runs, const std::string& option) {
  Runs fewer = runs;
  for (WalkRun& run : fewer) {
    std::erase_if(run.settings, [&](const Setting& setting) { return setting.option == option; });
  }
  return fewer;
}

// The shortest list of runs that still fails, without the options that it does not need.
Runs shrunk_runs(const Means& means, const Runs& runs) {
  const auto fails = [&](const Runs& list) { return !wrong_at_end(means, list).empty(); };
  Runs rest = ui::shrunk<WalkRun>(runs, fails, 300);
  for (const RequestOption& option : request_options()) {
    const Runs fewer = without(rest, option.name);
    if (fails(fewer)) rest = fewer;
  }
  return rest;
}

std::string report(const Means& means, const Runs& runs, const std::string& what) {
  const Runs rest = shrunk_runs(means, runs);
  const std::string now = wrong_at_end(means, rest);
  std::string text =
      fmt::format("{}, {}, {} bytes of stages: {}\nfound as: {}", means.kind->name,
                  means.whole_model ? "whole models" : "up to the shown layer", means.stage_memory,
                  now.empty() ? "only after all of " + std::to_string(runs.size()) + " runs" : now, what);
  for (const WalkRun& run : rest) {
    text += "\n  " + shell_command_of(request_of(run.settings), "run");
    if (run.end == WalkRun::End::before) text += "   (cancelled before)";
    if (run.end == WalkRun::End::early) text += "   (cancelled at its first early trace)";
  }
  return text;
}

Means drawn_means(Drawing& drawing, const std::vector<WalkKind>& kinds) {
  Means means;
  means.kind = &drawing.random.one_of(kinds);
  means.whole_model = !drawing.random.once_in(4);
  means.stage_memory = drawing.random.once_in(4) ? 0 : kDefaultStageMemory;
  return means;
}

// The settings of the next run: changed, or those of an earlier one.
Settings next_settings(Drawing& drawing, const Means& means, const Runs& runs) {
  if (runs.empty()) return means.kind->base;
  if (drawing.random.once_in(10)) {
    const auto back = static_cast<std::size_t>(1 + drawing.random.below(3));
    return runs[runs.size() - std::min(runs.size(), back)].settings;
  }
  return drawing.changed(runs.back().settings, *means.kind);
}

}  // namespace

Answer answer_of(Engine& engine, const WalkRun& run) {
  Answer answer;
  CancelToken cancel;
  if (run.end == WalkRun::End::before) cancel.cancel();
  try {
    answer.trace = engine.run(request_of(run.settings), cancel, [&](std::shared_ptr<const Trace> trace) {
      answer.early.push_back(std::move(trace));
      if (run.end == WalkRun::End::early) cancel.cancel();
    });
  } catch (const Cancelled&) {
    answer.cancelled = true;
  } catch (const std::exception& error) {
    answer.refusal = error.what();
  }
  return answer;
}

EngineOptions walk_options(const WalkKind& kind, bool reuse, bool whole_model, std::int64_t stage_memory) {
  EngineOptions options;
  options.reuse = reuse;
  options.whole_model = whole_model;
  options.stage_memory = stage_memory;
  options.preview_products = 0;
  options.between_early = {};
  Settings source = kind.base;
  for (Setting& setting : source) {
    if (setting.option == "phrase") setting.value = "x " + setting.value;
    if (setting.option == "token-ids") setting.value = "2," + setting.value;
    if (setting.option == "decoder-ids") setting.value += ",4";
  }
  options.read_request = [source](const std::string&) { return request_of(source); };
  return options;
}

WalkCounts walk(const std::vector<WalkKind>& kinds, std::int64_t steps, std::uint64_t seed, const std::string& files) {
  constexpr std::size_t kRunsOfAnEngine = 60;
  Drawing drawing(seed, files);
  WalkCounts counts;
  while (counts.steps < steps) {
    const Means means = drawn_means(drawing, kinds);
    Engines engines(means);
    drawing.last = nullptr;
    Runs runs, done;
    for (std::size_t step = 0; step < kRunsOfAnEngine && counts.steps < steps; ++step, ++counts.steps) {
      WalkRun run{next_settings(drawing, means, runs), WalkRun::End::whole};
      if (drawing.random.once_in(16)) run.end = drawing.random.once_in(4) ? WalkRun::End::before : WalkRun::End::early;
      done.push_back(run);
      const std::int64_t refused = counts.refusals;
      const std::string what = engines.wrong_with(run, drawing.random.once_in(4), counts);
      if (!what.empty()) {
        ADD_FAILURE() << "seed " << seed << ", step " << counts.steps << ": " << report(means, done, what);
        return counts;
      }
      drawing.last = engines.last();
      // A change that cannot run is mostly taken back.
      if (counts.refusals == refused || drawing.random.once_in(5)) runs.push_back(run);
    }
  }
  return counts;
}

std::int64_t walk_steps(std::int64_t share) {
#ifdef HEADSCOPE_SANITIZED
  share /= 20;  // some tens of times slower
#endif
  const char* given = std::getenv("HEADSCOPE_WALK_STEPS");
  return given == nullptr ? share : std::max<std::int64_t>(1, std::strtoll(given, nullptr, 10) * share / 20000);
}

std::uint64_t walk_seed() {
  const char* given = std::getenv("HEADSCOPE_WALK_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

}  // namespace headscope

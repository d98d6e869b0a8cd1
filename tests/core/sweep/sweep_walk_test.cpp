// Sweeps under requests drawn by chance: every cell, whatever its run shares with those before it, is a run of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "core/sweep/sweep.h"
#include "tests/core/attention/request_walk.h"

namespace headscope {
namespace {

SweepQuestion walk_question_of(const Settings& settings, SweepPatch patch) {
  SweepQuestion question;
  question.patched = question.source = request_of(settings);
  // Another text, which differs at its beginning alone.
  if (!question.source.token_ids.empty()) question.source.token_ids.front() = 7;
  if (!question.source.phrase.empty()) question.source.phrase = "fox " + question.source.phrase;
  question.metric = question.source.token_ids.empty() ? "logit:cat" : "logit:3";
  question.patch = patch;
  return question;
}

bool same_value(double a, double b) {
  return std::memcmp(&a, &b, sizeof(double)) == 0;
}

// The first cell that differs, in words; "" where none does. nullopt: the question cannot be asked. `cells` counts.
std::optional<std::string> wrong_cell(const WalkKind& kind, const SweepQuestion& question, std::int64_t& cells) {
  std::optional<Sweep> found;
  try {
    found = sweep({}, question, CancelToken());
  } catch (const std::exception& error) {
    const std::string why = error.what();
    return why.find("this is a bug") == why.npos ? std::nullopt : std::optional(why);
  }
  for (const SweepCell& cell : found->cells) {
    EngineOptions options = walk_options(kind, false, true, kDefaultStageMemory);
    options.read_request = [&](const std::string&) { return question.source; };
    Engine fresh(options);
    Request request = question.patched;
    request.patches = patches_of_cell(cell);
    request.patch_from = "A";
    const auto single = fresh.run(request, CancelToken());
    const double wanted = sweep_metric_of(*single->model, found->metric, found->position, {}, CancelToken());
    if (!same_value(cell.value, wanted)) {
      return fmt::format("layer {}, {}: {} for {}", cell.layer, cell.stage, cell.value, wanted);
    }
    ++cells;
  }
  return "";
}

TEST(SweepWalk, EveryCellIsASingleRun) {
  const TemporaryFolder files;
  write_walk_files(files);
  std::vector<WalkKind> kinds = golden_kinds();
  kinds.push_back(demo_kinds().front());
  Drawing drawing(walk_seed(), files.path());
  const std::int64_t most = walk_steps(2000);
  std::int64_t cells = 0, refused = 0;
  while (cells < most && refused < most) {
    const WalkKind& kind = drawing.random.one_of(kinds);
    Settings settings = kind.base;
    for (int change = drawing.random.below(4); change > 0; --change) settings = drawing.changed(settings, kind);
    const SweepPatch patch =
        drawing.random.one_of(std::vector{SweepPatch::heads, SweepPatch::positions, SweepPatch::stages});
    const auto what = wrong_cell(kind, walk_question_of(settings, patch), cells);
    refused += what ? 0 : 1;
    ASSERT_EQ(what.value_or(""), "") << kind.name << "\n  " << shell_command_of(request_of(settings), "sweep");
  }
  std::printf("%lld cells, %lld refusals\n", static_cast<long long>(cells), static_cast<long long>(refused));
  EXPECT_GE(cells, most);
}

}  // namespace
}  // namespace headscope

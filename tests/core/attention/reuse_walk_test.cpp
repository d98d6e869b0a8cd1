// Random walks over all of a request, in which everything is used again and nothing differs: tests/README.md says how
// to walk further.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/core/attention/request_walk.h"

namespace headscope {
namespace {

WalkCounts walked(const std::vector<WalkKind>& kinds, std::int64_t share, const TemporaryFolder& files) {
  const WalkCounts counts = walk(kinds, walk_steps(share), walk_seed(), files.path());
  std::printf("%lld steps: %lld results, of %lld rows and of %lld positions kept, %lld previews; %lld refusals\n",
              static_cast<long long>(counts.steps), static_cast<long long>(counts.answers),
              static_cast<long long>(counts.rows_kept), static_cast<long long>(counts.stages_kept),
              static_cast<long long>(counts.previews), static_cast<long long>(counts.refusals));
  EXPECT_GT(counts.answers, counts.steps / 3) << "most requests that are drawn should run";
  return counts;
}

TEST(ReuseWalk, OneLayerGivesTheBitsOfANewEngine) {
  const TemporaryFolder files;
  write_walk_files(files);
  const WalkCounts counts = walked(layer_kinds(files), 8000, files);
  EXPECT_GT(counts.rows_kept, counts.answers / 20) << "a token behind the others costs its own row";
  EXPECT_GT(counts.previews, counts.answers / 200);
}

TEST(ReuseWalk, DemosGiveTheBitsOfANewEngine) {
  const TemporaryFolder files;
  write_walk_files(files);
  const WalkCounts counts = walked(demo_kinds(), 1000, files);
  EXPECT_GT(counts.stages_kept, counts.answers / 20);
}

TEST(ReuseWalk, GoldenModelsGiveTheBitsOfANewEngine) {
  const TemporaryFolder files;
  write_walk_files(files);
  const WalkCounts counts = walked(golden_kinds(), 9000, files);
  EXPECT_GT(counts.rows_kept, counts.answers / 20) << "a token behind the others costs its own row";
}

TEST(ReuseWalk, EncodersGiveTheBitsOfANewEngine) {
  const TemporaryFolder files;
  write_walk_files(files);
  walked(encoder_kinds(), 2000, files);
}

}  // namespace
}  // namespace headscope

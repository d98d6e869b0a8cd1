// Numbers that are changed by hand, in pictures that stay on the device.
#include "tests/app/gl/shared_picture_fixture.h"

namespace headscope {
namespace {

TEST_F(SharedPictureGlTest, RowsThatAreChangedByHandLieOverThoseOfTheDevice) {
  const std::string edits =
      "raw_scores:0,1,150,20=40;masked_scores:0,1,99,7=inf;masked_scores:0,1,31,30=-inf;weights:0,1,16,16=9;"
      "dropped_weights:0,1,12,10=-3;weights:0,0,60,1=5";
  for (const std::int64_t numbers : {0, 3000}) {
    for (const char* masking : {"none", "causal", "file"}) {
      const Computed made = computed(170, 150, masking, false, numbers > 0 ? sharing(numbers) : nullptr, edits);
      const Computed plain = computed(170, 150, masking, false, made.backend);
      for (const StageId stage :
           {StageId::raw_scores, StageId::scores, StageId::masked_scores, StageId::weights, StageId::dropped_weights}) {
        const PyramidSource source = made.source(stage), unchanged = plain.source(stage);
        for (const PixelCells cells : {PixelCells{1, 1}, {16, 16}}) {
          const std::string what = std::string(masking) + " " + std::string(stage_name(stage));
          const auto pooled = [&](const PyramidSource& from) {
            return from.device->pool_cells(from, {0, 170}, {5, 150}, cells, Pooling::max, CancelToken());
          };
          const PooledPixels found = read_all(*source.device->picture(plan_of(pooled(source), Pooling::max)));
          expect_equal(found, pool_cells(source, {0, 170}, {5, 150}, cells, Pooling::max, CancelToken()), what);
          const PooledPixels before = read_all(*unchanged.device->picture(plan_of(pooled(unchanged), Pooling::max)));
          EXPECT_NE(found.values, before.values) << what;
          if (HasFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace headscope

// A device that is lost: seen, said as an error of the backend, and no call waits for it for ever.
#include "app/gl/lost_context.h"

#include <epoxy/gl.h>

#include <utility>

#include "core/backend/backend_factory.h"
#include "tests/app/gl/compute_fixture.h"
#include "tests/app/gl/heatmap_fixture.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// As long as this lives, every glGetError gives `error`, and the driver's word on resets is `status`.
class LostDevice {
 public:
  LostDevice(GLenum error, GLenum status) {
    error_ = error;
    status_ = status;
    real_error_ = std::exchange(epoxy_glGetError, [] { return error_; });
    real_status_ = std::exchange(epoxy_glGetGraphicsResetStatus, [] { return status_; });
  }
  ~LostDevice() {
    epoxy_glGetError = real_error_;
    epoxy_glGetGraphicsResetStatus = real_status_;
    a_new_context_begins();
  }
  LostDevice(const LostDevice&) = delete;
  LostDevice& operator=(const LostDevice&) = delete;

 private:
  static inline GLenum error_ = 0, status_ = 0;
  PFNGLGETERRORPROC real_error_;
  PFNGLGETGRAPHICSRESETSTATUSPROC real_status_;
};

class LostContextGlTest : public GlTest {};

TEST_F(LostContextGlTest, IsSeenByAnErrorOrByTheWordOnResets) {
  EXPECT_FALSE(context_is_lost());
  {
    const LostDevice lost(GL_CONTEXT_LOST, GL_NO_ERROR);
    EXPECT_TRUE(context_is_lost());
  }
  EXPECT_FALSE(context_is_lost()) << "another context";
  if (epoxy_gl_version() >= 45) {
    const LostDevice lost(GL_NO_ERROR, GL_UNKNOWN_CONTEXT_RESET);
    EXPECT_TRUE(context_is_lost());
  }
  const LostDevice broken(GL_INVALID_OPERATION, GL_NO_ERROR);
  EXPECT_FALSE(context_is_lost()) << "a mistake of ours is no loss, and it ends where the error never goes away";
}

TEST_F(LostContextGlTest, IsRememberedWhoeverTookTheError) {
  {
    const LostDevice lost(GL_CONTEXT_LOST, GL_NO_ERROR);
    EXPECT_EQ(next_gl_error(), static_cast<unsigned>(GL_CONTEXT_LOST));
    epoxy_glGetError = [] { return static_cast<GLenum>(GL_NO_ERROR); };
    EXPECT_TRUE(context_is_lost()) << "the driver says it once";
  }
  EXPECT_FALSE(context_is_lost());
}

TEST_F(LostContextGlTest, ItsPicturesAreLeftOutAndNothingWaits) {
  const HeatmapSpec spec = spec_of(random_matrix(8, 8, 0, 1), 64, 64);
  const LostDevice lost(GL_CONTEXT_LOST, GL_GUILTY_CONTEXT_RESET);
  EXPECT_EQ(store_->heatmap(spec), 0U);
  EXPECT_EQ(store_->image(1, 1, Image(4, 4)), 0U);
  store_->end_frame();
  EXPECT_NE(store_->take_complaint(), "");
}

class LostComputeGlTest : public ComputeTest {};

// Numbers of a device that is gone are no numbers: the engine then computes on the processor.
TEST_F(LostComputeGlTest, IsAnErrorOfTheBackendAndNoResult) {
  const Tensor x = random_tensor({1, 9, 17}, 1), weight = random_tensor({5, 17}, 2);
  const auto other = make_gpu_backend();
  {
    const LostDevice lost(GL_CONTEXT_LOST, GL_NO_ERROR);
    EXPECT_THROW(other->linear(x, weight, {}, cancel_), BackendError);
  }
  EXPECT_THROW(other->linear(x, weight, {}, cancel_), BackendError) << "it does not come back";
  expect_near(gpu().linear(x, weight, {}, cancel_), reference_->linear(x, weight, {}, cancel_), size_of_sum(17),
              "a device that is well");
}

}  // namespace
}  // namespace headscope

// A card that computes something else than the processor is not used.
#include "app/gl/device_check.h"

#include <memory>

#include "tests/app/gl/compute_fixture.h"

namespace headscope {
namespace {

class DeviceCheckGlTest : public ComputeTest {};

TEST_F(DeviceCheckGlTest, ThisDeviceAndTheReferenceHold) {
  EXPECT_NO_THROW(check_attention(gpu(), 2, 40));
  EXPECT_NO_THROW(check_attention(*reference_, 1, 70));
}

// The CPU's, but for one weight, or one number of the context, that is a term of 300 too small.
class WrongBackend : public Backend {
 public:
  explicit WrongBackend(bool weight) : weight_(weight) {}
  std::string_view name() const override { return "wrong"; }
  std::string description() const override { return "wrong"; }
  Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b, const CancelToken& c) const override {
    return right_->linear(x, w, b, c);
  }
  Tensor query_key_products(const Tensor& q, const Tensor& k, const Region& r, const CancelToken& c) const override {
    return right_->query_key_products(q, k, r, c);
  }
  Tensor softmax_rows(const Tensor& s, RowStatistics* rows, const CancelToken& c) const override {
    return right_->softmax_rows(s, rows, c);
  }
  Tensor weighted_values(const Tensor& w, const Tensor& v, const HiddenCells& h, const CancelToken& c) const override {
    return right_->weighted_values(w, v, h, c);
  }
  void attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                 const CancelToken& cancel) const override {
    right_->attention(of, value, part, to, cancel);
    Tensor& spoilt = weight_ ? to.weights : to.context;
    float* const last = spoilt.mutable_data() + spoilt.size() - 1;
    *last = *last * (1 - 1.0F / 300) + (weight_ ? 0 : 0.01F);
  }

 private:
  const bool weight_;
  const std::shared_ptr<const Backend> right_ = make_cpu_backend(1);
};

TEST_F(DeviceCheckGlTest, OneNumberThatIsWrongIsFound) {
  for (const bool weight : {false, true}) {
    try {
      check_attention(WrongBackend(weight), 2, 300);
      ADD_FAILURE() << "not found: " << (weight ? "a weight" : "the context");
    } catch (const BackendError& error) {
      EXPECT_NE(std::string(error.what()).find("The graphics driver is wrong"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace headscope

// The oracle: each step as its formula reads, one loop nest, sums in double.
#include <cmath>
#include <limits>
#include <vector>

#include "core/backend/operands.h"

namespace headscope {
namespace {

class ReferenceBackend : public Backend {
 public:
  std::string_view name() const override { return "reference"; }
  std::string description() const override { return "reference, 1 thread, double sums"; }

  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    const LinearSizes size = linear_sizes(x, weight, bias);
    Tensor result = Tensor::zeros({size.batch, size.len, size.out}, {Axis::batch, Axis::position, Axis::feature});
    float* y = result.mutable_data();
    const Tensor matrix = weight.stored() ? weight : weight.dense_copy();
    for (std::int64_t b = 0; b < size.batch; ++b) {
      for (std::int64_t i = 0; i < size.len; ++i) {
        cancel.check();
        const float* row = x.data() + b * x.strides()[0] + i * x.strides()[1];
        for (std::int64_t o = 0; o < size.out; ++o) {
          const float* w = matrix.data() + o * matrix.strides()[0];
          double sum = bias.empty() ? 0.0 : bias.data()[o * bias.strides()[0]];
          for (std::int64_t f = 0; f < size.in; ++f) {
            sum += static_cast<double>(row[f * x.strides()[2]]) * w[f * matrix.strides()[1]];
          }
          *y++ = static_cast<float>(sum);
        }
      }
    }
    return result;
  }

  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    const ScoreSizes size = score_sizes(query, key, region);
    Tensor result = Tensor::zeros({region[0].size(), region[1].size(), region[2].size(), region[3].size()},
                                  {Axis::batch, Axis::head, Axis::query, Axis::key});
    float* out = result.mutable_data();
    const Strides& qs = query.strides();
    const Strides& ks = key.strides();
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
        for (std::int64_t i = region[2].begin; i < region[2].end; ++i) {
          cancel.check();
          for (std::int64_t j = region[3].begin; j < region[3].end; ++j) {
            const float* q = query.data() + b * qs[0] + h * qs[1] + i * qs[2];
            const float* k = key.data() + b * ks[0] + h / size.heads_per_kv_head * ks[1] + j * ks[2];
            double sum = 0;
            for (std::int64_t d = 0; d < size.head_dim; ++d) sum += static_cast<double>(q[d * qs[3]]) * k[d * ks[3]];
            *out++ = static_cast<float>(sum);
          }
        }
      }
    }
    return result;
  }

  Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                      const CancelToken& cancel) const override {
    const Shape& shape = masked_scores.shape();
    const Strides& strides = masked_scores.strides();
    Tensor result = Tensor::zeros(shape, masked_scores.axes());
    RowStatistics rows = sized_row_statistics(shape);
    float* weights = result.mutable_data();
    float* max_of_row = rows.max.mutable_data();
    float* sum_of_row = rows.sum.mutable_data();
    for (std::int64_t b = 0; b < shape[0]; ++b) {
      for (std::int64_t h = 0; h < shape[1]; ++h) {
        for (std::int64_t i = 0; i < shape[2]; ++i) {
          cancel.check();
          const float* scores = masked_scores.data() + b * strides[0] + h * strides[1] + i * strides[2];
          softmax(scores, strides[3], shape[3], weights, max_of_row++, sum_of_row++);
          weights += shape[3];
        }
      }
    }
    if (statistics != nullptr) *statistics = rows;
    return result;
  }

  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override {
    const ContextSizes size = context_sizes(weights, value, hidden);
    Tensor result = Tensor::zeros({size.batch, size.heads, size.query_len, size.value_head_dim},
                                  {Axis::batch, Axis::head, Axis::position, Axis::feature});
    float* out = result.mutable_data();
    std::vector<std::uint8_t> hidden_keys(static_cast<std::size_t>(size.key_len));
    const Strides& ws = weights.strides();
    const Strides& vs = value.strides();
    for (std::int64_t b = 0; b < size.batch; ++b) {
      for (std::int64_t h = 0; h < size.heads; ++h) {
        for (std::int64_t i = 0; i < size.query_len; ++i) {
          cancel.check();
          const float* w = weights.data() + b * ws[0] + h * ws[1] + i * ws[2];
          const float* v = value.data() + b * vs[0] + h / size.heads_per_kv_head * vs[1];
          hidden.read_row(b, h, i, hidden_keys);
          for (std::int64_t d = 0; d < size.value_head_dim; ++d) {
            double sum = 0;
            for (std::int64_t j = 0; j < size.key_len; ++j) {
              const float weight = w[j * ws[3]];
              // A hidden key's value is not read: 0 * NaN would be NaN.
              if (hidden_keys[static_cast<std::size_t>(j)] != 0 && weight == 0.0F) continue;
              sum += static_cast<double>(weight) * v[j * vs[2] + d * vs[3]];
            }
            *out++ = std::isnan(sum) ? plain_nan() : static_cast<float>(sum);
          }
        }
      }
    }
    return result;
  }

 private:
  static void softmax(const float* scores, std::int64_t stride, std::int64_t count, float* weights, float* max_of_row,
                      float* sum_of_row) {
    float max = -std::numeric_limits<float>::infinity();
    for (std::int64_t j = 0; j < count; ++j) {
      const float score = scores[j * stride];
      if (std::isnan(score) || score > max) max = score;
      if (std::isnan(score)) break;
    }
    double sum = 0;
    for (std::int64_t j = 0; j < count; ++j) sum += std::exp(static_cast<double>(scores[j * stride]) - max);
    const bool all_hidden = max == -std::numeric_limits<float>::infinity();
    for (std::int64_t j = 0; j < count; ++j) {
      const double weight = std::exp(static_cast<double>(scores[j * stride]) - max) / sum;
      weights[j] = std::isnan(sum) ? plain_nan() : static_cast<float>(weight);
    }
    *max_of_row = std::isnan(max) ? plain_nan() : max;
    *sum_of_row = all_hidden ? 0.0F : std::isnan(sum) ? plain_nan() : static_cast<float>(sum);
  }
};

}  // namespace

std::shared_ptr<const Backend> make_reference_backend() {
  return std::make_shared<const ReferenceBackend>();
}

}  // namespace headscope

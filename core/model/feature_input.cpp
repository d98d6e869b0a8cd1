#include "core/model/feature_input.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/model/activate.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

constexpr std::int64_t kTaps = FeatureRule::kTaps;
const Axes kRows{Axis::position, Axis::feature};

double dot(std::span<const float> a, std::span<const float> b) {
  std::array<double, 4> parts{};
  std::size_t k = 0;
  for (; k + parts.size() <= a.size(); k += parts.size()) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      parts[part] += static_cast<double>(a[k + part]) * static_cast<double>(b[k + part]);
    }
  }
  for (; k < a.size(); ++k) parts[0] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

// gelu of a convolution over rows [places, channels] that stands on every `step`-th place: [places / step, features].
Tensor convolved(const Linear& convolution, const std::vector<float>& rows, std::int64_t places, std::int64_t step,
                 const CancelToken& cancel) {
  const std::int64_t channels = std::ssize(rows) / places, features = convolution.weight.dim(0);
  const std::vector<float> weights = convolution.weight.values(), bias = convolution.bias.values();
  const auto width = static_cast<std::size_t>(channels * kTaps);
  std::vector<float> seen(width), made;
  made.reserve(static_cast<std::size_t>(places / step * features));
  for (std::int64_t place = 0; place < places; place += step) {
    cancel.check();
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t k = 0; k < kTaps; ++k) {
        const std::int64_t at = place + k - kTaps / 2;
        const bool inside = at >= 0 && at < places;
        seen[static_cast<std::size_t>(c * kTaps + k)] =
            inside ? rows[static_cast<std::size_t>(at * channels + c)] : 0.0F;
      }
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(features); ++d) {
      const double sum = dot(std::span(weights).subspan(d * width, width), seen);
      made.push_back(static_cast<float>(sum + static_cast<double>(bias[d])));
    }
  }
  activate(Architecture::Activation::gelu, made);
  return Tensor::of({places / step, features}, kRows, std::move(made));
}

void check_shape(const Tensor& features, const std::string& path, const Checkpoint& checkpoint) {
  const Architecture& architecture = checkpoint.architecture();
  const std::int64_t bands = architecture.features->bands;
  const std::int64_t frames = architecture.max_positions * FeatureRule::kFramesPerToken;
  const bool batch = features.rank() == 3 && features.dim(0) == 1;
  const int first = batch ? 1 : 0;
  if ((batch || features.rank() == 2) && features.dim(first) == bands && features.dim(first + 1) == frames) return;
  throw Error(fmt::format(
      "{}: its shape is {}, expected [{}, {}]: the mel bands that {} reads, by two frames for each of its {} "
      "positions (a shorter sound is filled up with silence before its features are taken)",
      path, to_string(features.shape()), bands, frames, checkpoint.path(), architecture.max_positions));
}

// A frame a row.
std::vector<float> frames_of(const Tensor& features, std::int64_t bands, std::int64_t frames) {
  const std::vector<float> values = features.values();
  std::vector<float> rows;
  rows.reserve(values.size());
  for (std::int64_t t = 0; t < frames; ++t) {
    for (std::int64_t c = 0; c < bands; ++c) rows.push_back(values[static_cast<std::size_t>(c * frames + t)]);
  }
  return rows;
}

Tensor with_positions(const Tensor& tokens, const Tensor& position) {
  const std::vector<float> positions = position.values();
  std::vector<float> x = tokens.values();
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += positions[k];
  return Tensor::of({1, tokens.dim(0), tokens.dim(1)}, {Axis::batch, Axis::position, Axis::feature}, std::move(x));
}

}  // namespace

std::shared_ptr<const FeatureInput> feature_input(const Tensor& features, const std::string& path,
                                                  const Checkpoint& checkpoint, const CancelToken& cancel) {
  check_shape(features, path, checkpoint);
  const EmbeddingWeights weights = checkpoint.embedding();
  auto input = std::make_shared<FeatureInput>();
  input->path = path;
  input->bands = features.dim(features.rank() - 2);
  input->frames = features.dim(features.rank() - 1);
  input->first =
      convolved(weights.convolutions.first, frames_of(features, input->bands, input->frames), input->frames, 1, cancel);
  input->tokens = convolved(weights.convolutions.second, input->first.values(), input->frames,
                            FeatureRule::kFramesPerToken, cancel);
  input->embedded = with_positions(input->tokens, weights.position);
  for (std::int64_t t = 0; t < input->frames; t += FeatureRule::kFramesPerToken) {
    input->names.push_back(fmt::format("f{}", t));
  }
  return input;
}

}  // namespace headscope

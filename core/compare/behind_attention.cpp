#include "core/compare/behind_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/backend/backend.h"
#include "core/compare/unlike_weights.h"
#include "core/model/checkpoint.h"
#include "core/model/config_reader.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

using Part = Architecture::Part;

constexpr double kRounding = 1e-4;  // of |A|, where rows or heads stand in another order

// |A - B| / |A| of two lists of numbers; 0 where they are equal, infinite where only one of a pair is a number.
class Apart {
 public:
  void add(std::span<const float> left, std::span<const float> right) {
    for (std::size_t k = 0; k < left.size(); ++k) {
      const auto x = static_cast<double>(left[k]), y = static_cast<double>(right[k]);
      if (x == y || (std::isnan(x) && std::isnan(y))) {
        if (std::isfinite(x)) squares_ += x * x;
        continue;
      }
      equal_ = false;
      if (!std::isfinite(x) || !std::isfinite(y)) {
        apart_ = std::numeric_limits<double>::infinity();
        continue;
      }
      squares_ += x * x;
      apart_ += (x - y) * (x - y);
    }
  }
  // Differences so small that their square is 0 are still differences.
  double share() const {
    if (equal_) return 0;
    if (!(squares_ > 0)) return std::numeric_limits<double>::infinity();
    return std::max(std::sqrt(apart_ / squares_), std::numeric_limits<double>::min());
  }

 private:
  double squares_ = 0, apart_ = 0;
  bool equal_ = true;
};

// 0 where one of them was not computed; infinite where their shapes differ.
double apart(const Tensor& a, const Tensor& b, const CancelToken& cancel) {
  if (a.empty() || b.empty() || same_storage(a, b)) return 0;
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  Apart apart;
  std::vector<float> left(static_cast<std::size_t>(a.size() / a.dim(0))), right(left.size());
  for (std::int64_t k = 0; k < a.dim(0); ++k) {
    cancel.check();
    Region item = whole(a.shape());
    item[0] = {k, k + 1};
    a.read(item, left);
    b.read(item, right);
    apart.add(left, right);
  }
  return apart.share();
}

bool predicts(const ModelTrace& model) {
  return model.checkpoint != nullptr && !model.final_hidden.empty() &&
         model.checkpoint->output_head().kind != OutputHead::Kind::none;
}

// Whether the models are the same files, so that there is nothing to compare in them.
bool of_one_model(const Checkpoint& a, const Checkpoint& b) {
  return &a == &b || (a.path() == b.path() && a.tower() == b.tower());
}

// Returns |A - B| / |A| of the logits of the last position. It is 0 where one of the models has no output head, and
// where both are one model, of which equal states have equal logits.
double logits_apart(const ModelTrace& a, const ModelTrace& b, const CancelToken& cancel) {
  if (!predicts(a) || !predicts(b) || of_one_model(*a.checkpoint, *b.checkpoint)) return 0;
  const auto backend = make_cpu_backend(0);
  const std::vector<float> left = logits_at(a, 0, a.final_hidden.dim(1) - 1, *backend, cancel),
                           right = logits_at(b, 0, b.final_hidden.dim(1) - 1, *backend, cancel);
  if (left.size() != right.size()) return std::numeric_limits<double>::infinity();
  Apart apart;
  apart.add(left, right);
  return apart.share();
}

std::string by_words(double share) {
  return std::isfinite(share) ? fmt::format("by {:.2g} of their size", share) : "in size, or in what is no number";
}

std::string stream_sentence(const ModelTrace& a, const ModelTrace& b, const CancelToken& cancel) {
  for (std::size_t l = 0; l < std::min(a.streams.size(), b.streams.size()); ++l) {
    if (apart(a.streams[l], b.streams[l], cancel) == 0) continue;
    return fmt::format("what enters layer {} differs, {}, though its attention is equal", l,
                       by_words(apart(a.streams[l], b.streams[l], cancel)));
  }
  return "";
}

// Returns a sentence about weights or settings that differ, though no number of this text does; "" where none does.
std::string unlike_models_sentence(const Trace& a, const Trace& b, const CancelToken& cancel) {
  const Checkpoint *left = whole_checkpoint(a), *right = whole_checkpoint(b);
  if (left == nullptr || right == nullptr || of_one_model(*left, *right)) return "";
  if (a.model->final_hidden.empty() || b.model->final_hidden.empty()) return "";
  const std::vector<std::string> weights = unlike_weights(*left, *right, a.request.threads, cancel);
  if (!weights.empty()) {
    return "weights differ that do not show in these results: " + first_ten(weights);
  }
  const std::vector<std::string> settings = unlike_settings(*left, *right);
  return settings.empty()
             ? ""
             : "settings of the models differ that do not show in these results: " + first_ten(settings, "; ");
}

std::string layers_words(const ModelTrace& a, const ModelTrace& b) {
  const std::size_t count = std::min(a.layers.size(), b.layers.size());
  std::size_t computed = 0;
  for (std::size_t l = 0; l < count; ++l) computed += a.layers[l] != nullptr && b.layers[l] != nullptr ? 1 : 0;
  std::string of;
  if (a.checkpoint != nullptr) {
    const Part part = a.checkpoint->architecture().part;
    of = part == Part::encoder   ? " of the encoder"
         : part == Part::decoder ? " of the decoder's attention to itself"
         : part == Part::cross   ? " of the decoder's attention to the encoder"
                                 : "";
  }
  return fmt::format("{} {} layers{}", computed == count ? "all" : fmt::format("{} of", computed), count, of);
}

std::string models_words(const Trace& a, const Trace& b) {
  const Checkpoint *left = whole_checkpoint(a), *right = whole_checkpoint(b);
  if (left == nullptr || right == nullptr) return "";
  if (of_one_model(*left, *right)) return "; both are of one model";
  const bool beside = left->part(Part::decoder) != nullptr;
  const bool unrun = beside && a.inputs->encoder == nullptr;
  return fmt::format(
      "; every weight and setting that the models read{}{} (tensors of their files that nothing here "
      "reads, such as another tower, were not compared)",
      beside ? ", of the encoder and of the decoder" : "", unrun ? ", which was not run" : "");
}

}  // namespace

std::string other_difference_sentence(const Trace& a, const Trace& b, std::optional<std::int64_t> from,
                                      const CancelToken& cancel) {
  if (a.model == nullptr || b.model == nullptr) return "";
  const double allowed = from ? kRounding : 0;
  const std::size_t layers = std::min(a.model->layers.size(), b.model->layers.size());
  for (std::size_t l = from ? static_cast<std::size_t>(*from) + 1 : layers; l < layers; ++l) {
    const auto &left = a.model->layers[l], &right = b.model->layers[l];
    if (left == nullptr || right == nullptr) continue;
    const Stage *one = left->find(StageId::output), *other = right->find(StageId::output);
    if (one != nullptr && other != nullptr && apart(one->tensor, other->tensor, cancel) > allowed) {
      return fmt::format("what attention gives differs in layer {}, too, by more than rounding", l);
    }
  }
  if (!from) {
    if (const std::string stream = stream_sentence(*a.model, *b.model, cancel); !stream.empty()) return stream;
  }
  if (const double share = apart(a.model->final_hidden, b.model->final_hidden, cancel); share > allowed) {
    return fmt::format("the final hidden states differ, {}: by an MLP, or a norm, behind attention that is equal",
                       by_words(share));
  }
  if (const double share = logits_apart(*a.model, *b.model, cancel); share > allowed) {
    return fmt::format(
        "the logits of the last position differ, {}: by the output head, behind final hidden states "
        "that are equal",
        by_words(share));
  }
  return from ? "" : unlike_models_sentence(a, b, cancel);
}

std::string compared_words(const Trace& a, const Trace& b, std::int64_t unread) {
  std::string text = "every number of every stage";
  if (a.model != nullptr && b.model != nullptr) {
    text += " of " + layers_words(*a.model, *b.model);
    if (!a.model->final_hidden.empty() && !b.model->final_hidden.empty()) {
      const bool logits = predicts(*a.model) && predicts(*b.model);
      text += fmt::format(", what enters each of them{} final hidden states{}", logits ? ", the" : " and the",
                          logits ? " and the logits of the last position" : "");
    }
    text += models_words(a, b);
  }
  if (unread > 0)
    text += fmt::format("; {} stages of layers, which are too large to be kept, were not compared", unread);
  return text;
}

}  // namespace headscope

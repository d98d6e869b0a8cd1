// What makes rows beside attention and MLP: tokens of every kind, and the convolution beside layer 0.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/explain/explainer.h"
#include "core/explain/model_teller.h"
#include "core/model/feature_input.h"
#include "core/model/image_input.h"
#include "core/model/row_convolution.h"

namespace headscope {
namespace {

ModelRow sum_of_rows(const ModelRow& a, const ModelRow& b) {
  ModelRow result(a.size());
  for (std::size_t d = 0; d < a.size(); ++d) result[d] = a[d] + b[d];
  return result;
}

}  // namespace

// A token of an image: a patch's map, or a learned vector, and its position.
void ModelTeller::tell_image() {
  const EmbeddingWeights weights = model_.checkpoint->embedding();
  const ImageInput& image = *trace_.inputs->image;
  const ImageRule& rule = *architecture_.image;
  const std::int64_t classes = rule.class_token ? 1 : 0, patch = position_ - image.leading;
  const auto row = [](const Tensor& table, std::int64_t index) {
    std::vector<float> values(static_cast<std::size_t>(table.dim(1)));
    table.read({{index, index + 1}, {0, table.dim(1)}}, values);
    return ModelRow(values.begin(), values.end());
  };
  ModelRow x;
  const char* name = patch >= 0 ? "patch" : position_ < classes ? "class_token" : "register";
  const std::int64_t at = patch >= 0 ? patch : position_ < classes ? 0 : position_ - classes;
  if (patch >= 0) {
    x = times(weights.patches.projection, row(image.pixels, patch));
  } else {
    x = row(position_ < classes ? weights.patches.class_token : weights.patches.registers, at);
  }
  const auto d = static_cast<std::size_t>(feature_);
  std::vector<ModelTerm> terms{{name, {at, feature_}, x[d]}};
  std::string text = name;
  if (patch >= 0 || position_ < classes) {
    const std::int64_t place = patch >= 0 ? classes + patch : 0;
    const ModelRow position = row(image.positions, place);
    terms.push_back({"position", {place, feature_}, position[d]});
    x = sum_of_rows(x, position);
    text += " + position";
  }
  cell_.formula = fmt::format("stream[0,b,i,d] = {}{}", weights.norm.empty() ? text : "norm(" + text + ")",
                              patch >= 0 ? fmt::format(", patch[p,d] = Σ_k projection[d,k] · pixels[p,k]{}",
                                                       weights.patches.projection.bias.empty() ? "" : " + bias[d]")
                                         : "");
  sum(terms);
  norm(weights.norm, x);
}

// Two frames of a sound: what the second convolution gives, and a position.
void ModelTeller::tell_features() {
  const FeatureInput& features = *trace_.inputs->features;
  const Tensor position = model_.checkpoint->embedding().position;
  const Index at{position_, feature_};
  cell_.formula =
      "stream[0,b,i,d] = token[i,d] + position[i,d], token[i,d] = gelu(\xCE\xA3_c,k W2[d,c,k] \xC2\xB7 first[c,2i+k-1] "
      "+ "
      "b2[d]), first[c,t] = gelu(\xCE\xA3_m,k W1[c,m,k] \xC2\xB7 features[m,t+k-1] + b1[c])";
  sum({{"token", at, static_cast<double>(features.tokens.at(at))},
       {"position", at, static_cast<double>(position.at(at))}});
}

void ModelTeller::tell_embeddings() {
  if (architecture_.part == Architecture::Part::pool) {
    cell_.formula = "stream[0,b,i,d] = probe[d], the learned query";
    const auto value = static_cast<double>(model_.checkpoint->embedding().probe.at({feature_}));
    return sum({{"probe", {feature_}, value}});
  }
  if (trace_.inputs->image != nullptr) return tell_image();
  if (trace_.inputs->features != nullptr) return tell_features();
  const EmbeddingWeights weights = model_.checkpoint->embedding();
  const Inputs& inputs = *trace_.inputs;
  const auto at = static_cast<std::size_t>(position_);
  ModelRow x(static_cast<std::size_t>(architecture_.word_width()));
  std::vector<ModelTerm> terms;
  const bool projected = !weights.projection.empty();
  const auto add = [&](const Tensor& table, const char* name, std::int64_t index, double scale) {
    if (table.empty()) return;
    std::vector<float> values(x.size());
    table.read({{index, index + 1}, {0, table.dim(1)}}, values);
    for (std::size_t d = 0; d < x.size(); ++d) x[d] += scale * static_cast<double>(values[d]);
    const std::int64_t d = projected ? 0 : feature_;
    terms.push_back({name, {index, d}, scale * static_cast<double>(values[static_cast<std::size_t>(d)])});
  };
  add(weights.word, "word", inputs.token_ids[at], architecture_.embedding_scale);
  add(weights.token_type, "token_type", inputs.token_types.empty() ? 0 : inputs.token_types[at], 1);
  add(weights.position, "position", position_ + architecture_.position_offset, 1);
  std::string text;
  for (const ModelTerm& each : terms) text += (text.empty() ? "" : " + ") + each.stage;
  if (architecture_.embedding_scale != 1) text = "scale · " + text;
  const std::string normed = weights.norm.empty() ? text : "norm(" + text + ")";
  if (projected && architecture_.projected_first) {
    cell_.formula = "stream[0,b,i,d] = norm(Σ_k projection[d,k] · embedded[k]), embedded = " + text;
    product(weights.projection, "embedded", feature_, x);
    return norm(weights.norm, times(weights.projection, x));
  }
  if (projected) {
    cell_.formula = "stream[0,b,i,d] = Σ_k projection[d,k] · embedded[k], embedded = " + normed;
    return product(weights.projection, "embedded", feature_, normed_row(weights.norm, x));
  }
  cell_.formula = "stream[0,b,i,d] = " + normed;
  sum(terms);
  norm(weights.norm, x);
}

void ModelTeller::tell_convolution() {
  const ConvolutionRule& rule = *architecture_.convolution;
  const Linear map = model_.checkpoint->block(0).convolution;
  const std::int64_t channels = architecture_.d_model / rule.groups, group = feature_ / channels;
  const std::vector<float> window = convolution_window(rule, model_.streams.front(), batch_, position_, group);
  std::vector<float> weights(window.size());
  map.weight.read({{feature_, feature_ + 1}, {0, static_cast<std::int64_t>(window.size())}}, weights);
  cell_.formula = fmt::format("conv_out[b,i,d] = f(Σ_c,t convolution[d,c,t] · stream[0,b,i+t-{},{}c] + bias[d])",
                              (rule.taps - 1) / 2, rule.groups > 1 ? fmt::format("{}+", group * channels) : "");
  double total = 0;
  for (std::size_t k = 0; k < window.size(); ++k) {
    const auto at = static_cast<std::int64_t>(k);
    const std::int64_t c = at / rule.taps, t = at % rule.taps, row = position_ + t - (rule.taps - 1) / 2;
    if (row < 0 || row >= model_.streams.front().dim(1)) continue;
    const double x = static_cast<double>(window[k]), weight = static_cast<double>(weights[k]);
    operand("stream", {0, batch_, row, group * channels + c}, x);
    operand("convolution.weight", {feature_, c, t}, weight, SourceRole::projection);
    cell_.terms.push_back({at, x, weight});
    cell_.magnitude += std::abs(x * weight);
    total += x * weight;
  }
  step("product", fmt::format("Σ over {} channels of {} rows", channels, rule.taps), total);
  const auto bias = static_cast<double>(map.bias.at({feature_}));
  operand("convolution.bias", {feature_}, bias, SourceRole::bias);
  cell_.magnitude += std::abs(bias);
  step("+ bias", step_text(total) + " + " + in_brackets(bias, operand_text(bias)), total + bias);
  const std::string name = rule.activation ? activation_name(*rule.activation) : "tanh";
  const auto made = static_cast<double>(convolution_activated(rule, static_cast<float>(total + bias)));
  step(name, fmt::format("{}({})", name, step_text(total + bias)), made);
}

// The last steps of what leaves layer 0, whose row is `left` without the convolution.
void ModelTeller::join_convolution(const ModelRow& left) {
  const ModelRow added = row(ModelStageId::conv_out, 0);
  const auto d = static_cast<std::size_t>(feature_);
  cell_.formula =
      "stream[1,b,i,d] = norm(" + cell_.formula.substr(cell_.formula.find(" = ") + 3) + " + conv_out[b,i,d])";
  operand("conv_out", {batch_, position_, feature_}, added[d]);
  step("+ conv_out", step_text(left[d]) + " + " + in_brackets(added[d], operand_text(added[d])), left[d] + added[d]);
  norm(block().convolution_norm, sum_of_rows(left, added));
}

}  // namespace headscope

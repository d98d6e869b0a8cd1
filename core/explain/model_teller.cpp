// A cell of each stage of a model.
#include "core/explain/model_teller.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/base/error.h"
#include "core/explain/explainer.h"
#include "core/model/feature_input.h"
#include "core/model/image_input.h"
#include "core/model/row_norm.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

ModelRow plus(const ModelRow& a, const ModelRow& b) {
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
    x = plus(x, position);
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
  if (projected) {
    cell_.formula = "stream[0,b,i,d] = Σ_k projection[d,k] · embedded[k], embedded = " + normed;
    return product(weights.projection, "embedded", feature_, normed_row(weights.norm, x));
  }
  cell_.formula = "stream[0,b,i,d] = " + normed;
  sum(terms);
  norm(weights.norm, x);
}

void ModelTeller::tell_stream() {
  if (layer_ == 0) return tell_embeddings();
  --layer_;  // the one whose result it is
  using Id = ModelStageId;
  const bool of_mlp = has_mlp() && after_sum();
  std::vector<ModelTerm> terms;
  if (of_mlp) {
    terms = {term(Id::mlp_in, layer_), term(Id::mlp_out, layer_)};
  } else {
    terms = {term(Id::stream, layer_), term(Id::attention_out, layer_)};
    if (has_mlp()) terms.push_back(term(Id::mlp_out, layer_));
  }
  std::string text;
  for (const ModelTerm& each : terms) text += fmt::format("{}{}[l-1,b,i,d]", text.empty() ? "" : " + ", each.stage);
  cell_.formula = "stream[l,b,i,d] = " + (after_sum() ? "norm(" + text + ")" : text);
  sum(terms);
  if (!after_sum()) return;
  const ModelRow x = of_mlp ? plus(row(Id::mlp_in, layer_), row(Id::mlp_out, layer_))
                            : plus(row(Id::stream, layer_), row(Id::attention_out, layer_));
  norm(of_mlp ? block().mlp_norm : block().attention_norm, x);
}

void ModelTeller::tell_attention() {
  const bool normed =
      trace_.model->layers[static_cast<std::size_t>(layer_)]->find(StageId::attention_norm_out) != nullptr;
  const std::string stage(stage_name(normed ? StageId::attention_norm_out : StageId::output));
  cell_.formula = fmt::format("attention_out[l,b,i,d] = {}[b,i,d] of layer l", stage);
  sum({{stage, {batch_, position_, feature_}, cell_.value}});
}

void ModelTeller::tell_mlp_in() {
  const ModelRow stream = row(ModelStageId::stream, layer_);
  if (architecture_.parallel) {
    const BlockWeights weights = block();
    cell_.formula = "mlp_in[l,b,i,d] = norm(stream[l,b,i,d])";
    sum({term(ModelStageId::stream, layer_)});
    return norm(weights.mlp_norm.empty() ? weights.attention_norm : weights.mlp_norm, stream);
  }
  const bool normed = after_sum() || architecture_.norms_input();
  const std::string text = "stream[l,b,i,d] + attention_out[l,b,i,d]";
  cell_.formula = "mlp_in[l,b,i,d] = " + (normed ? "norm(" + text + ")" : text);
  sum({term(ModelStageId::stream, layer_), term(ModelStageId::attention_out, layer_)});
  if (!normed) return;
  norm(after_sum() ? block().attention_norm : block().mlp_norm, plus(stream, row(ModelStageId::attention_out, layer_)));
}

void ModelTeller::tell_mlp_out() {
  const bool gated = architecture_.mlp == Architecture::Mlp::gated, scaled = architecture_.layer_scale;
  const bool normed = architecture_.norms_result() && !scaled;
  const std::string text = "Σ_k down[d,k] · hidden[k]";
  cell_.formula = fmt::format("mlp_out[l,b,i,d] = {}, hidden = {}",
                              normed   ? "norm(" + text + ")"
                              : scaled ? "scale[d] · " + text
                                       : text,
                              gated ? "f(gate · mlp_in) · (up · mlp_in)" : "f(up · mlp_in)");
  const ModelRow x = hidden();
  product(block().down, "hidden", feature_, x);
  if (normed) norm(block().mlp_norm_out, times(block().down, x));
  if (!scaled) return;
  const double before = cell_.steps.back().value;
  const auto factor = static_cast<double>(block().mlp_norm_out.weight.at({feature_}));
  operand("scale", {feature_}, factor, SourceRole::projection);
  step("× scale", step_text(before) + " · " + in_brackets(factor, operand_text(factor)), before * factor);
  cell_.magnitude *= std::abs(factor);
}

void ModelTeller::tell_final_norm() {
  const NormWeights weights = model_.checkpoint->output_head().final_norm;
  const auto last = static_cast<std::int64_t>(model_.layers.size());
  cell_.formula =
      weights.empty() ? "final_norm[b,i,d] = stream[layers,b,i,d]" : "final_norm[b,i,d] = norm(stream[layers,b,i,d])";
  sum({term(ModelStageId::stream, last)});
  norm(weights, row(ModelStageId::stream, last));
}

void ModelTeller::tell_logit() {
  const OutputHead head = model_.checkpoint->output_head();
  ModelRow x = row(ModelStageId::final_norm, 0);
  std::string name = "final_norm";
  if (!head.transform.empty()) {
    x = normed_row(head.transform_norm, activated(architecture_.head_activation, times(head.transform, x)));
    name = "transformed";
  }
  cell_.formula = fmt::format("logits[b,i,t] = Σ_d decoder[t,d] · {}[b,i,d]{}", name,
                              name == "transformed" ? ", transformed = norm(f(transform · final_norm))" : "");
  product(head.decoder, name, feature_, x);
  const double scale = architecture_.logit_scale;
  if (scale != 1) {
    const double before = cell_.steps.back().value;
    step("× logit scale", step_text(before) + " · " + step_text(scale), before * scale);
    cell_.magnitude *= std::abs(scale);
  }
  if (!architecture_.logit_softcap) return;
  const double cap = *architecture_.logit_softcap, before = cell_.steps.back().value;
  step("softcap", fmt::format("{0} · tanh({1} / {0})", step_text(cap), step_text(before)),
       cap * std::tanh(before / cap));
}

void ModelTeller::tell_projected() {
  const Linear map = model_.checkpoint->output_head().projection;
  cell_.formula =
      fmt::format("projected[b,i,o] = Σ_d projection[o,d] · final_norm[b,i,d]{}", map.bias.empty() ? "" : " + bias[o]");
  product(map, "final_norm", feature_, row(ModelStageId::final_norm, 0));
}

void ModelTeller::tell_patch(const Index& index) {
  const std::string_view name = model_stage_info(stage_).name;
  if (!patches_stream(name) || index[0] >= std::ssize(model_.layers)) return;
  const Trace& layer = *model_.layers[static_cast<std::size_t>(index[0])];
  if (!is_patched(layer, name, {index[1], index[2], index[3]})) return;
  cell_.formula += ", then patched";
  step("patched",
       fmt::format("was {}, is {} by --patch, of A", operand_text(cell_.steps.back().value), operand_text(cell_.value)),
       cell_.value);
  cell_.magnitude += std::abs(cell_.value);
}

void ModelTeller::check(const Index& index) const {
  const Tensor& of = tensor(stage_);
  const ModelStageInfo& info = model_stage_info(stage_);
  if (index.count != of.rank()) {
    throw UsageError("at", fmt::format("found {} numbers; {} is {} {}, expected {}", index.count, info.name,
                                       to_string(of.shape()), info.shape, of.rank()));
  }
  for (int axis = 0; axis < of.rank(); ++axis) {
    if (0 <= index[axis] && index[axis] < of.dim(axis)) continue;
    throw UsageError("at",
                     fmt::format("found {} {}; {} is {}, expected 0 to {}", info.axes[static_cast<std::size_t>(axis)],
                                 index[axis], info.name, to_string(of.shape()), of.dim(axis) - 1));
  }
}

ModelCell ModelTeller::tell(const Index& index) {
  check(index);
  cell_.stage = stage_;
  cell_.index = index;
  cell_.value = static_cast<double>(tensor(stage_).at(index));
  const bool by_layers = model_stage_info(stage_).by_layers();
  layer_ = by_layers ? index[0] : 0;
  batch_ = index[by_layers ? 1 : 0];
  position_ = index[by_layers ? 2 : 1];
  feature_ = index[by_layers ? 3 : 2];
  if (stage_ == ModelStageId::mlp_out && architecture_.has_experts(layer_)) {
    throw UsageError("stage", "found mlp_out of a layer with experts, whose sum is not taken apart",
                     "another stage; run --export router,experts says which experts a token goes to");
  }
  using Tell = void (ModelTeller::*)();
  constexpr Tell kTell[] = {&ModelTeller::tell_stream,   &ModelTeller::tell_attention,  &ModelTeller::tell_mlp_in,
                            &ModelTeller::tell_mlp_out,  &ModelTeller::tell_final_norm, &ModelTeller::tell_logit,
                            &ModelTeller::tell_projected};
  (this->*kTell[static_cast<std::size_t>(stage_)])();
  tell_patch(index);
  return std::move(cell_);
}

ModelCell model_cell(const std::string& option, const Trace& trace, ModelStageId stage, const Index& index,
                     const CancelToken& cancel) {
  check_model_stage(option, trace, stage);
  check_one_stack(option, *trace.model);
  return ModelTeller(option, trace, stage, cancel).tell(index);
}

}  // namespace headscope

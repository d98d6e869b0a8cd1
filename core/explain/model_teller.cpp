// A cell of each stage of a model.
#include "core/explain/model_teller.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/attention/put_numbers.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/explain/explainer.h"
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

void ModelTeller::tell_stream() {
  if (layer_ == 0) return tell_embeddings();
  --layer_;  // the one whose result it is
  if (architecture_.of_decoder()) return tell_decoder_stream();
  using Id = ModelStageId;
  const bool of_mlp = has_mlp() && after_sum();
  std::vector<ModelTerm> terms;
  if (of_mlp) {
    terms = {term(Id::mlp_in, layer_), term(Id::mlp_out, layer_)};
  } else {
    if (!architecture_.drops_stream) terms.push_back(term(Id::stream, layer_));
    terms.push_back(term(Id::attention_out, layer_));
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
  if (architecture_.convolution && layer_ == 0) join_convolution(normed_row(block().mlp_norm, x));
}

void ModelTeller::tell_attention() {
  const bool normed =
      trace_.model->layers[static_cast<std::size_t>(layer_)]->find(StageId::attention_norm_out) != nullptr;
  const std::string stage(stage_name(normed ? StageId::attention_norm_out : StageId::output));
  cell_.formula = fmt::format("attention_out[l,b,i,d] = {}[b,i,d] of layer l", stage);
  sum({{stage, {batch_, position_, feature_}, cell_.value}});
}

void ModelTeller::tell_mlp_in() {
  if (architecture_.of_decoder()) return tell_decoder_mlp_in();
  const ModelRow stream = row(ModelStageId::stream, layer_);
  if (architecture_.parallel) {
    const BlockWeights weights = block();
    cell_.formula = "mlp_in[l,b,i,d] = norm(stream[l,b,i,d])";
    sum({term(ModelStageId::stream, layer_)});
    return norm(weights.mlp_norm.empty() ? weights.attention_norm : weights.mlp_norm, stream);
  }
  const bool normed = after_sum() || architecture_.norms_input(), drops = architecture_.drops_stream;
  const std::string text = drops ? "attention_out[l,b,i,d]" : "stream[l,b,i,d] + attention_out[l,b,i,d]";
  cell_.formula = "mlp_in[l,b,i,d] = " + (normed ? "norm(" + text + ")" : text);
  std::vector<ModelTerm> terms;
  if (!drops) terms.push_back(term(ModelStageId::stream, layer_));
  terms.push_back(term(ModelStageId::attention_out, layer_));
  sum(terms);
  if (!normed) return;
  const ModelRow attention = row(ModelStageId::attention_out, layer_);
  norm(after_sum() ? block().attention_norm : block().mlp_norm, drops ? attention : plus(stream, attention));
}

void ModelTeller::tell_mlp_out() {
  if (architecture_.has_experts(layer_)) return tell_experts();
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
  if (map.empty()) {
    cell_.formula = "projected[b,i,d] = final_norm[b,i,d]";
    return sum({{"final_norm", {batch_, position_, feature_}, cell_.value}});
  }
  cell_.formula =
      fmt::format("projected[b,i,o] = Σ_d projection[o,d] · final_norm[b,i,d]{}", map.bias.empty() ? "" : " + bias[o]");
  product(map, "final_norm", feature_, row(ModelStageId::final_norm, 0));
}

void ModelTeller::tell_put(const Index& index) {
  const std::string_view name = model_stage_info(stage_).name;
  const ModelTrace& model = *asked_.model;
  if (!patches_stream(name) || index[0] >= std::ssize(model.layers)) return;
  // Of a decoder whose cross-attention is shown, a patch of the stream is of what enters that, within a layer.
  if (stage_ == ModelStageId::stream && model.checkpoint->architecture().part == Architecture::Part::cross) return;
  const Trace& layer = *model.layers[static_cast<std::size_t>(index[0])];
  const std::optional<PutNumber> put =
      put_number(layer, name, {index[1], index[2], index[3]}, static_cast<float>(cell_.value));
  if (!put) return;
  cell_.formula += ", then " + put->step;
  step(put->step,
       fmt::format("was {}, is {} by {}", operand_text(cell_.steps.back().value), operand_text(cell_.value), put->by),
       cell_.value);
  cell_.magnitude += std::abs(cell_.value);
}

Index ModelTeller::settled(Index index) const {
  const Tensor& of = tensor(stage_);
  const ModelStageInfo& info = model_stage_info(stage_);
  if (index.count != of.rank()) {
    throw UsageError("at", fmt::format("found {} numbers; {} is {} {}, expected {}", index.count, info.name,
                                       to_string(of.shape()), info.shape, of.rank()));
  }
  for (int axis = 0; axis < of.rank(); ++axis) {
    index[axis] = counted_from_end(index[axis], of.dim(axis));
    if (0 <= index[axis] && index[axis] < of.dim(axis)) continue;
    throw UsageError("at",
                     fmt::format("found {} {}; {} is {}", info.axes[static_cast<std::size_t>(axis)], index[axis],
                                 info.name, to_string(of.shape())),
                     places_text(of.dim(axis)));
  }
  return index;
}

ModelCell ModelTeller::tell(const Index& asked) {
  const Index index = settled(asked);
  cell_.stage = stage_;
  cell_.index = index;
  cell_.value = static_cast<double>(tensor(stage_).at(index));
  const bool by_layers = model_stage_info(stage_).by_layers();
  layer_ = by_layers ? index[0] : 0;
  batch_ = index[by_layers ? 1 : 0];
  position_ = index[by_layers ? 2 : 1];
  feature_ = index[by_layers ? 3 : 2];
  using Tell = void (ModelTeller::*)();
  constexpr Tell kTell[] = {&ModelTeller::tell_stream,  &ModelTeller::tell_attention,   &ModelTeller::tell_mlp_in,
                            &ModelTeller::tell_mlp_out, &ModelTeller::tell_convolution, &ModelTeller::tell_final_norm,
                            &ModelTeller::tell_logit,   &ModelTeller::tell_projected};
  (this->*kTell[static_cast<std::size_t>(stage_)])();
  tell_put(index);
  return std::move(cell_);
}

ModelCell model_cell(const std::string& option, const Trace& trace, ModelStageId stage, const Index& index,
                     const CancelToken& cancel) {
  check_model_stage(option, trace, stage);
  const std::shared_ptr<const Trace> cross = stage == ModelStageId::stream ? with_cross_shown(option, trace) : nullptr;
  return ModelTeller(option, cross == nullptr ? trace : *cross, trace, stage, cancel).tell(index);
}

}  // namespace headscope

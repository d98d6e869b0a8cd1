// A decoder beside an encoder: a layer of it is self-attention, cross-attention and an MLP. What is told is told with
// the layers of cross-attention as those of the model, for the MLP stands behind them; the others are
// ModelTrace::other_layers.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/attention/put_numbers.h"
#include "core/explain/explainer.h"
#include "core/explain/model_teller.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

using Id = ModelStageId;
using Part = Architecture::Part;

}  // namespace

std::shared_ptr<const Trace> with_cross_shown(const std::string& option, const Trace& trace) {
  if (trace.model->checkpoint->architecture().part != Part::decoder) return nullptr;
  check_layers_kept(option, *trace.model);
  auto model = std::make_shared<ModelTrace>(*trace.model);
  std::swap(model->layers, model->other_layers);
  std::swap(model->streams, model->other_streams);
  model->checkpoint = model->layers.front()->inputs->checkpoint;
  auto shown = std::make_shared<Trace>(*model->layers.front());
  shown->model = std::move(model);
  return shown;
}

// As the stage of the list that was asked for, or with the other list's name before it, as --attention spells it.
std::string ModelTeller::name_of_attention(Part part) const {
  const std::string name(model_stage_info(Id::attention_out).name);
  if (asked_.model->checkpoint->architecture().part == part) return name;
  return (part == Part::cross ? "cross " : "decoder ") + name;
}

// What self-attention adds in the layer, at all features.
ModelRow ModelTeller::self_attention() const {
  const Tensor& added = attention_added(*model_.other_layers[static_cast<std::size_t>(layer_)]);
  std::vector<float> values(static_cast<std::size_t>(added.dim(2)));
  added.read({{batch_, batch_ + 1}, {position_, position_ + 1}, {0, added.dim(2)}}, values);
  return {values.begin(), values.end()};
}

// What enters cross-attention, at all features.
ModelRow ModelTeller::between() const {
  const Tensor& stream = model_.streams[static_cast<std::size_t>(layer_)];
  std::vector<float> values(static_cast<std::size_t>(stream.dim(2)));
  stream.read({{batch_, batch_ + 1}, {position_, position_ + 1}, {0, stream.dim(2)}}, values);
  return {values.begin(), values.end()};
}

ModelTerm ModelTeller::term_of(const std::string& name, const ModelRow& row) const {
  return {name, {layer_, batch_, position_, feature_}, row[static_cast<std::size_t>(feature_)]};
}

// What is summed up to what enters cross-attention: where arrays or patches change that, these alone.
std::vector<ModelTerm> ModelTeller::terms_between() const {
  const Trace& cross = *model_.layers[static_cast<std::size_t>(layer_)];
  if (is_changed(cross, kStreamPatch, {batch_, position_, feature_})) return {term_of("patched stream", between())};
  return {term(Id::stream, layer_), term_of(name_of_attention(Part::decoder), self_attention())};
}

void ModelTeller::tell_decoder_stream() {
  std::vector<ModelTerm> terms;
  if (after_sum()) {
    terms = {term(Id::mlp_in, layer_)};
  } else {
    terms = terms_between();
    terms.push_back(term_of(name_of_attention(Part::cross), row(Id::attention_out, layer_)));
  }
  terms.push_back(term(Id::mlp_out, layer_));
  std::string text;
  for (const ModelTerm& each : terms) text += fmt::format("{}{}[l-1,b,i,d]", text.empty() ? "" : " + ", each.stage);
  cell_.formula = "stream[l,b,i,d] = " + (after_sum() ? "norm(" + text + ")" : text);
  sum(terms);
  if (!after_sum()) return;
  ModelRow x = row(Id::mlp_in, layer_);
  const ModelRow added = row(Id::mlp_out, layer_);
  for (std::size_t d = 0; d < x.size(); ++d) x[d] += added[d];
  norm(block().mlp_norm, x);
}

void ModelTeller::tell_decoder_mlp_in() {
  std::vector<ModelTerm> terms = terms_between();
  const ModelTerm cross = term_of(name_of_attention(Part::cross), row(Id::attention_out, layer_));
  std::string text;
  for (const ModelTerm& each : terms) text += fmt::format("{}{}[l,b,i,d]", text.empty() ? "" : " + ", each.stage);
  ModelRow left = between();
  const auto d = static_cast<std::size_t>(feature_);
  if (after_sum()) {
    cell_.formula = fmt::format("mlp_in[l,b,i,d] = norm({} + {}[l,b,i,d])",
                                terms.size() > 1 ? "norm(" + text + ")" : text, cross.stage);
    sum(terms);
    if (terms.size() > 1) tell_self_norm();
    operand(cross.stage, cross.index, cross.value);
    step("+ " + cross.stage, step_text(left[d]) + " + " + in_brackets(cross.value, operand_text(cross.value)),
         left[d] + cross.value);
  } else {
    terms.push_back(cross);
    cell_.formula = fmt::format("mlp_in[l,b,i,d] = norm({} + {}[l,b,i,d])", text, cross.stage);
    sum(terms);
  }
  const ModelRow added = row(Id::attention_out, layer_);
  for (std::size_t k = 0; k < left.size(); ++k) left[k] += added[k];
  norm(after_sum() ? block().attention_norm : block().mlp_norm, left);
}

// The norm behind self-attention.
void ModelTeller::tell_self_norm() {
  const Trace& self = *model_.other_layers[static_cast<std::size_t>(layer_)];
  ModelRow x = row(Id::stream, layer_);
  const ModelRow added = self_attention();
  for (std::size_t d = 0; d < x.size(); ++d) x[d] += added[d];
  norm(self.inputs->checkpoint->block(layer_).attention_norm, x);
}

}  // namespace headscope

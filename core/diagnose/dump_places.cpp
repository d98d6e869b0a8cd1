#include "core/diagnose/dump_places.h"

#include <algorithm>
#include <span>

#include "core/attention/trace.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// A projection that other programs fuse and ours does not has its sizes alone here.
DumpPlace place_of_fused(const Trace& trace) {
  const Stage *query = trace.find(StageId::query_proj), *key = trace.find(StageId::key_proj);
  const Stage* value = trace.find(StageId::value_proj);
  if (query == nullptr || key == nullptr || value == nullptr) return {};
  Shape shape = query->tensor.shape();
  shape[2] += key->tensor.dim(2) + value->tensor.dim(2);
  return {Tensor::zeros(shape, query->tensor.axes())};
}

DumpPlace place_of_stage(const Architecture& architecture, const Trace& trace, StageId stage) {
  // What latents are projected from is no input of attention here.
  if (architecture.latents && stage < StageId::query) return {};
  const Stage* found = trace.find(stage);
  if (found == nullptr && stage == StageId::qkv) return place_of_fused(trace);
  if (found == nullptr) return {};
  const bool of_keys = stage == StageId::key_proj || stage == StageId::value_proj;
  return {found->tensor, of_keys ? trace.inputs->num_kv_heads : trace.inputs->num_heads};
}

DumpPlace place_of_logits(const ModelTrace& model) {
  const OutputHead head = model.checkpoint->output_head();
  if (head.kind == OutputHead::Kind::none) return {};
  Shape shape = model.final_hidden.shape();
  shape[2] = head.decoder.weight.dim(0);
  return {Tensor::computed(shape, model.final_hidden.axes(),
                           [](const Region&, std::span<float> out) { std::fill(out.begin(), out.end(), 0.0F); })};
}

}  // namespace

DumpPlace dump_place(const ModelTrace& model, DumpPart part, StageId stage, std::int64_t layer) {
  const auto count = static_cast<std::int64_t>(model.layers.size());
  const std::int64_t inside = std::min(layer, count - 1);
  const Architecture& architecture = model.checkpoint->architecture();
  switch (part) {
    case DumpPart::stage:
      return place_of_stage(architecture, *model.layers[static_cast<std::size_t>(inside)], stage);
    case DumpPart::logits:
      return place_of_logits(model);
    case DumpPart::mlp_in:
    case DumpPart::mlp_out:
      if (architecture.mlp == Architecture::Mlp::none) return {};
      return {model.streams[static_cast<std::size_t>(inside)]};
    case DumpPart::attended:
      return {model.streams[static_cast<std::size_t>(inside)]};
    case DumpPart::final_norm:
      return {model.final_hidden};
    case DumpPart::leaving:
      return {inside + 1 < count ? model.streams[static_cast<std::size_t>(inside + 1)] : model.final_hidden};
    default:
      return {layer < count ? model.streams[static_cast<std::size_t>(layer)] : model.final_hidden};
  }
}

std::string_view dump_part_name(DumpPart part, StageId stage) {
  switch (part) {
    case DumpPart::stage:
      return stage_name(stage);
    case DumpPart::attended:
      return "attended";
    case DumpPart::mlp_in:
      return "mlp_in";
    case DumpPart::mlp_out:
      return "mlp_out";
    case DumpPart::leaving:
      return "layer_out";
    case DumpPart::final_norm:
      return "final_norm";
    case DumpPart::logits:
      return "logits";
    case DumpPart::hidden:
      return "hidden states";
    default:
      return "stream";
  }
}

}  // namespace headscope

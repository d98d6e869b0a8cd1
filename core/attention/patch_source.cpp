// patches_from() and patched_shape(): what the patches of a request find in the run of A.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/interventions.h"
#include "core/attention/model_stages.h"
#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/stack.h"
#include "core/text/token_alignment.h"

namespace headscope {
namespace {

constexpr std::size_t kNamed = 6;  // positions of a notice; more are counted

std::vector<std::string> key_names(const Inputs& inputs) {
  std::vector<std::string> names = inputs.key_tokens;
  if (!inputs.weights.bias_k.empty()) names.push_back("bias_k");
  return names;
}

std::vector<std::int64_t> partners(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::int64_t> of(b.size(), -1);
  for (const auto& [in_a, in_b] : align_tokens(a, b).pairs) of[static_cast<std::size_t>(in_b)] = in_a;
  return of;
}

// "3 'wide', 4 '.'": the positions without a partner; "" when there are none.
std::string lonely(const std::vector<std::int64_t>& of, const std::vector<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (of[k] >= 0) continue;
    if (++count <= kNamed) text += fmt::format("{}{} '{}'", text.empty() ? "" : ", ", k, names[k]);
  }
  return count > kNamed ? fmt::format("{} and {} more", text, count - kNamed) : text;
}

std::string notice_of(const Patches& patches, const Inputs& inputs) {
  const std::string queries = lonely(patches.query_of, inputs.tokens), keys = lonely(patches.key_of, key_names(inputs));
  if (queries.empty() && keys.empty()) return "";
  std::string text = queries;
  if (keys != queries && inputs.key_tokens != inputs.tokens && !keys.empty()) {
    text += fmt::format("{}of the keys {}", text.empty() ? "" : "; ", keys);
  }
  return "patch: positions without a partner in A keep their own numbers: " + text;
}

[[noreturn]] void refuse(const std::string& found, const std::string& expected) {
  throw UsageError("patch", found, expected);
}

constexpr std::int64_t kRowsAtOnce = 256;  // of an MLP, as finish_layer() has it

// What the MLP of a layer adds, with the bits that the model computed with.
Tensor mlp_out_of(const ModelTrace& model, std::int64_t layer) {
  const auto at = static_cast<std::size_t>(layer);
  if (model.checkpoint == nullptr || model.checkpoint->architecture().mlp == Architecture::Mlp::none) {
    refuse(fmt::format("layer {} of A has no MLP", layer), "a stage that both runs have");
  }
  const Architecture& architecture = model.checkpoint->architecture();
  const BlockWeights weights = model.checkpoint->block(layer);
  const Tensor& stream = model.streams[at];
  const Tensor& attention = attention_added(*model.layers[at]);
  Tensor added = Tensor::zeros(stream.shape(), stream.axes());
  for (std::int64_t first = 0; first < stream.dim(1); first += kRowsAtOnce) {
    const std::int64_t end = std::min(first + kRowsAtOnce, stream.dim(1));
    const Tensor attended = attended_rows(architecture, weights, {stream, attention}, {first, end});
    Tensor rows = added.writable_sliced(1, first, end);
    mlp_added(architecture, weights, {stream.sliced(1, first, end), attended}, *model.backend, {}, rows);
  }
  return added;
}

}  // namespace

Tensor patch_numbers(const Trace& a, const std::string& stage, std::int64_t layer) {
  const auto at = static_cast<std::size_t>(layer);
  const Trace* trace = &a;
  if (a.model != nullptr) {
    if (at >= a.model->layers.size() || a.model->layers[at] == nullptr) {
      refuse(fmt::format("layer {} of A is not there", layer), "a layer that both models have and keep");
    }
    if (stage == kMlpPatch) return mlp_out_of(*a.model, layer);
    if (stage == kStreamPatch) {
      if (at < a.model->streams.size()) return a.model->streams[at];
      refuse("A is a capture, which holds no stream", "A of a model");
    }
    trace = a.model->layers[at].get();
  } else if (stage == kStreamPatch || stage == kMlpPatch) {
    refuse(fmt::format("A is one layer, which has no {}", stage), "A of a model");
  } else if (layer != 0) {
    refuse(fmt::format("A is one layer, there is no layer {} in it", layer), "A of a model like this one");
  }
  const std::optional<StageId> id = stage_named(stage);
  HEADSCOPE_ASSERT(id.has_value(), stage);
  const Stage* found = trace->find(*id);
  if (found == nullptr) refuse(fmt::format("A has no stage {}", stage), "a stage that both runs have");
  return found->tensor;
}

std::optional<Shape> patched_shape(const Request& request, const Inputs& inputs, std::string_view stage) {
  if (const std::optional<StageId> id = stage_named(stage)) return stage_shape(request, inputs, *id);
  if (inputs.checkpoint == nullptr) return {};
  const bool mlp = inputs.checkpoint->architecture().mlp != Architecture::Mlp::none;
  if (stage == kMlpPatch && !mlp) return {};
  return Shape{inputs.batch, inputs.query_len, inputs.d_model};
}

std::shared_ptr<const Patches> patches_from(const Trace& a, const Request& request, const Inputs& inputs) {
  auto patches = std::make_shared<Patches>();
  patches->query_of = partners(a.query_labels(), inputs.tokens);
  patches->key_of = partners(a.key_labels(), key_names(inputs));
  patches->notice = notice_of(*patches, inputs);
  for (const PatchedStage& patch : request.patches) {
    if (!patch.on) continue;
    const std::int64_t layer = patch.layer.value_or(inputs.layer);
    const auto known = [&](const Patches::Stage& each) { return each.layer == layer && each.name == patch.stage; };
    if (std::any_of(patches->stages.begin(), patches->stages.end(), known)) continue;
    const Tensor numbers = patch_numbers(a, patch.stage, layer);
    const Shape here = patched_shape(request, inputs, patch.stage).value();
    if (!patch_fits(patch.stage, numbers.shape(), here)) {
      refuse(fmt::format("{} is {} in A and {} here", patch.stage, to_string(numbers.shape()), to_string(here)),
             "runs whose batch, heads and features are the same");
    }
    patches->stages.push_back({layer, patch.stage, numbers});
  }
  return patches;
}

}  // namespace headscope

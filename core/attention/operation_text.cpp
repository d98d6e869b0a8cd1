#include "core/attention/operation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/checkpoint.h"
#include "core/model/head_rule.h"
#include "core/model/relative_positions.h"
#include "core/request/array_file.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask.h"
#include "core/request/mask_terms.h"

namespace headscope {

namespace {

// What enters a layer; of a decoder beside an encoder the cross-attention stands between its self-attention and its
// MLP.
std::string layer_input_text(const Architecture& architecture, std::int64_t layer) {
  if (architecture.part == Architecture::Part::pool) return "the learned query";
  if (architecture.part == Architecture::Part::cross) return fmt::format("after the self-attention of layer {}", layer);
  return layer == 0 ? std::string("embed") : fmt::format("what leaves layer {}", layer - 1);
}

}  // namespace

std::string embedding_text(const Request& request, const Inputs& inputs) {
  if (inputs.checkpoint != nullptr) {
    const Architecture& architecture = inputs.checkpoint->architecture();
    if (architecture.latents) return fmt::format("latents of layer {}", inputs.layer);
    const char* norm = architecture.norm == Architecture::Norm::rms ? ", RMSNorm" : ", LayerNorm";
    const bool first = inputs.layer == 0 && architecture.part != Architecture::Part::cross;
    return layer_input_text(architecture, inputs.layer) +
           ((architecture.norms_input() && architecture.part != Architecture::Part::pool) ||
                    (first && architecture.embedding_norm)
                ? norm
                : "");
  }
  const bool from_file = request.phrase.empty() && request.token_ids.empty();
  return from_file ? "from file" : request.position == Position::sinusoidal ? "embed + position" : "embed";
}

std::string key_input_text(const Request& request, const Inputs& inputs) {
  if (inputs.encoder == nullptr) return embedding_text(request, inputs);
  const bool pool = inputs.checkpoint->architecture().part == Architecture::Part::pool;
  return pool ? "what leaves the layers of the patches" : "what the encoder gives";
}

std::string product_text(const char* matrix, const Linear& linear) {
  return linear.bias.empty() ? fmt::format("x · {}", matrix) : fmt::format("x · {} + b", matrix);
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

std::string scale_text(const Request& request, const Inputs& inputs, double scale) {
  if (has_variant(request, Variant::no_scale)) return "not scaled";
  if (has_variant(request, Variant::scale_by_d_model)) {
    // Attention alone has no width but that of its heads, which queries and values may have two of.
    const std::int64_t width = inputs.query.empty() ? inputs.d_model : inputs.num_heads * inputs.head_dim;
    return fmt::format("÷ √{} ({})", width, width == inputs.d_model ? "d_model" : "num_heads · head_dim");
  }
  return request.scale || inputs.score_scale ? "× " + number_text(scale) : fmt::format("÷ √{}", inputs.head_dim);
}

std::vector<MaskTerm> mask_terms_of(const Request& request, const Inputs& inputs) {
  std::vector<MaskTerm> terms = inputs.own_mask;
  for (const MaskTerm& term : request.mask) {
    if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(term);
  }
  if (request.lengths.empty() && !names_arrays(request.query)) return terms;
  // A mask that stands beside the queries in their file, or keeps packed texts apart.
  for (const MaskFile& file : inputs.mask_files) {
    const auto is_named = [&](const MaskTerm& term) { return term.path == file.path; };
    if (std::none_of(terms.begin(), terms.end(), is_named)) terms.push_back({MaskTerm::Kind::file, 0, file.path});
  }
  return terms;
}

bool asks_for_mask(const Request& request, const Inputs& inputs) {
  return any_painted(request) || !mask_terms_of(request, inputs).empty();
}

Request with_own_mask(const Request& request, const Inputs& inputs) {
  Request all = request;
  all.mask = mask_terms_of(request, inputs);
  return all;
}

std::string heads_text(const char* split, const HeadRule& rule, const Tensor& norm) {
  const std::string held = rule.clip > 0 ? fmt::format(", within ±{}", number_text(rule.clip)) : "";
  const char* normed = norm.empty() ? "" : rule.norm_centred ? ", LayerNorm" : ", RMSNorm";
  return fmt::format("{}{}{}{}", split, held, normed, rule.rotary != nullptr ? ", RoPE" : "");
}

std::string mask_step_text(const Request& request, const Inputs& inputs) {
  std::string terms;
  for (const MaskTerm& term : mask_terms_of(request, inputs)) {
    const bool biases = std::any_of(inputs.mask_files.begin(), inputs.mask_files.end(),
                                    [&](const MaskFile& file) { return !file.rows.empty() && file.path == term.path; });
    terms += (terms.empty() ? "" : ", ") + (biases ? std::string("relative positions") : mask_term_text(term));
  }
  if (any_painted(request)) terms += terms.empty() ? "painted" : ", painted";
  std::string positions;
  if (inputs.relative_positions != nullptr) {
    if (inputs.relative_positions->rule.c2p) positions += "+ c2p";
    if (inputs.relative_positions->rule.p2c) positions += positions.empty() ? "+ p2c" : " + p2c";
  }
  if (terms.empty()) return positions.empty() ? "no mask" : positions;
  return fmt::format("{}{}+ {}{} mask", positions, positions.empty() ? "" : " ",
                     has_variant(request, Variant::mask_inverted) ? "inverted " : "", terms);
}

std::string softcap_text(double softcap, bool caps_added) {
  return fmt::format("{0} · tanh({1} ÷ {0})", number_text(softcap), caps_added ? "(s + mask)" : "s");
}

std::string softmax_text(const Request& request, bool any_hidden) {
  std::string text = has_variant(request, Variant::softmax_over_queries) ? "softmax over queries" : "softmax";
  if (has_variant(request, Variant::mask_after_softmax) && any_hidden) text += ", then mask";
  return text;
}

std::string context_text(const Request& request) {
  std::string heads;
  for (const LayerHead& ablated : ablated_heads(request))
    heads += fmt::format("{}{}", heads.empty() ? "" : ", ", ablated.head);
  return heads.empty() ? "· value" : fmt::format("· value, head {} = 0", heads);
}

}  // namespace headscope

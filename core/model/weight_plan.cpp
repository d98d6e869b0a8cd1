// Long because every part of a model has its tensors planned here, in one order.
#include "core/model/weight_plan.h"

#include <fmt/format.h>

namespace headscope {
namespace {

using Kind = PlannedTensor::Kind;

PlannedTensor table(const std::string& name, std::int64_t rows, std::int64_t columns) {
  if (name.empty()) return {};
  return {name + ".weight", "", {rows, columns}, Kind::matrix};
}

// A vector by its whole name.
PlannedModule scale(const std::string& name, std::int64_t features) {
  PlannedModule module;
  module.weight = {name, "", {features}};
  return module;
}

PlannedModule norm(const std::string& name, std::int64_t features, bool bias) {
  PlannedModule module;
  if (name.empty()) return module;
  // The first BERTs were converted from TensorFlow with its names.
  module.weight = {name + ".weight", name + ".gamma", {features}};
  if (bias) module.bias = {name + ".bias", name + ".beta", {features}};
  return module;
}

PlannedModule linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias, bool in_out) {
  PlannedModule module;
  if (name.empty()) return module;
  const std::string before = name.ends_with('_') ? name : name + ".";
  module.weight = in_out ? PlannedTensor{before + "weight", "", {in, out}, Kind::matrix_in_out}
                         : PlannedTensor{before + "weight", "", {out, in}, Kind::matrix};
  if (bias) module.bias = {before + "bias", "", {out}};
  return module;
}

void add(const PlannedModule& module, std::vector<PlannedTensor>& all) {
  for (const PlannedTensor* tensor : {&module.weight, &module.bias}) {
    if (!tensor->empty()) all.push_back(*tensor);
  }
}

}  // namespace

std::vector<PlannedTensor> PlannedBlock::tensors() const {
  std::vector<PlannedTensor> all;
  for (const PlannedModule* module : {&attention_norm,
                                      &qkv,
                                      &query,
                                      &key,
                                      &value,
                                      &output,
                                      &query_norm,
                                      &key_norm,
                                      &attention_norm_out,
                                      &mlp_norm,
                                      &mlp_norm_out,
                                      &gate_up,
                                      &gate,
                                      &up,
                                      &down,
                                      &router,
                                      &stacked_gate_up,
                                      &stacked_down,
                                      &all_experts.gate,
                                      &all_experts.up,
                                      &all_experts.down,
                                      &query_latent,
                                      &query_latent_norm,
                                      &key_latent,
                                      &key_latent_norm,
                                      &key_value_of_latent,
                                      &position_key,
                                      &position_query,
                                      &convolution,
                                      &convolution_norm,
                                      &shared_expert.gate,
                                      &shared_expert.up,
                                      &shared_expert.down}) {
    add(*module, all);
  }
  for (const Expert& expert : experts) {
    for (const PlannedModule* module : {&expert.gate, &expert.up, &expert.down}) add(*module, all);
  }
  for (const PlannedTensor* tensor : {&sinks, &router_correction}) {
    if (!tensor->empty()) all.push_back(*tensor);
  }
  return all;
}

std::vector<PlannedTensor> PlannedBody::tensors() const {
  std::vector<PlannedTensor> all;
  for (const PlannedTensor* tensor :
       {&word, &position, &token_type, &class_token, &registers, &relative, &relative_positions, &probe}) {
    if (!tensor->empty()) all.push_back(*tensor);
  }
  for (const PlannedModule* module : {&patch, &first_convolution, &second_convolution, &embedding_norm,
                                      &embedding_projection, &relative_norm, &final_norm, &projection}) {
    add(*module, all);
  }
  return all;
}

std::vector<PlannedTensor> PlannedHead::tensors() const {
  std::vector<PlannedTensor> all;
  for (const PlannedModule* module : {&transform, &transform_norm, &decoder}) add(*module, all);
  return all;
}

namespace {

void plan_image(const Architecture& architecture, const TensorNames& names, PlannedBody& body) {
  const ImageRule& rule = *architecture.image;
  const std::int64_t width = architecture.d_model;
  const std::string patch = names.patch;
  body.patch.weight = {
      patch + ".weight", "", {width, ImageRule::kChannels, rule.patch, rule.patch}, PlannedTensor::Kind::matrix};
  if (rule.patch_bias) body.patch.bias = {patch + ".bias", "", {width}};
  const bool table = *names.position_table;  // such families keep their tokens as [1, count, d_model]
  if (rule.class_token) {
    body.class_token = {names.class_token, "", {width}};
    if (table) body.class_token.shape = {1, 1, width};
  }
  if (rule.registers > 0) body.registers = {names.registers, "", {1, rule.registers, width}};
  if (table) {
    body.position = {names.position_table, "", {1, architecture.max_positions, width}, PlannedTensor::Kind::matrix};
  }
}

PlannedModule convolution(const char* name, std::int64_t channels, std::int64_t out) {
  PlannedModule module = linear(name, out, channels, true, false);
  module.weight.shape = {out, channels, FeatureRule::kTaps};
  return module;
}

}  // namespace

PlannedBody planned_body(const Architecture& architecture, const Family& family) {
  const TensorNames& names = family.names;
  const std::int64_t width = architecture.word_width();
  const bool norm_bias = architecture.norm == Architecture::Norm::layer && architecture.norm_bias;
  PlannedBody body;
  body.word = table(names.word, architecture.vocab_size, width);
  if (*names.older_word) body.word.older_name = std::string(names.older_word) + ".weight";
  if (!architecture.sinusoidal && architecture.position == Architecture::Position::learned) {
    body.position = table(names.position, architecture.position_offset + architecture.max_positions, width);
  }
  if (architecture.relative) {
    body.relative = table(names.relative, architecture.relative->buckets, architecture.num_heads);
  }
  if (architecture.disentangled) {
    body.relative_positions =
        table(names.relative_positions, 2 * architecture.disentangled->span(), architecture.d_model);
    if (architecture.disentangled->normed)
      body.relative_norm = norm(names.relative_norm, architecture.d_model, norm_bias);
  }
  if (architecture.token_types > 0) body.token_type = table(names.token_type, architecture.token_types, width);
  if (architecture.image) plan_image(architecture, names, body);
  if (*names.probe) body.probe = {names.probe, "", {1, 1, width}};
  if (architecture.features) {
    body.first_convolution = convolution(names.first_convolution, architecture.features->bands, architecture.d_model);
    body.second_convolution = convolution(names.second_convolution, architecture.d_model, architecture.d_model);
  }
  const bool first = architecture.projected_first;
  body.embedding_norm = norm(names.embedding_norm, first ? architecture.d_model : width, norm_bias);
  if (architecture.embedding_width > 0) {
    body.embedding_projection = linear(names.embedding_projection, architecture.d_model, width, !first, false);
  }
  if (architecture.final_norm) body.final_norm = norm(names.final_norm, architecture.d_model, norm_bias);
  if (architecture.projection > 0) {
    body.projection =
        linear(names.projection, architecture.projection, architecture.d_model, architecture.projection_bias, false);
    body.projection.weight.in_head = body.projection.bias.in_head = true;
  }
  return body;
}

namespace {

// A tensor with the matrices of all experts.
PlannedModule stacked(const std::string& name, const MixtureRule& mixture, std::int64_t in, std::int64_t out) {
  PlannedModule module;
  if (name.empty()) return module;
  module.weight = {name, "", {mixture.experts, in, out}, Kind::matrix};
  if (mixture.expert_bias) module.bias = {name + "_bias", "", {mixture.experts, out}};
  return module;
}

void plan_experts(const Architecture& architecture, const TensorNames& names, const std::string& prefix,
                  PlannedBlock& block) {
  const MixtureRule& mixture = *architecture.mixture;
  const std::int64_t width = architecture.d_model, inner = mixture.width;
  const auto named = [&prefix](const char* name) { return *name ? prefix + name : std::string(); };
  block.router = linear(named(names.router), mixture.experts, width, mixture.router_bias, false);
  if (mixture.correction) block.router_correction = {named(names.router_correction), "", {mixture.experts}};
  if (mixture.shared_width > 0) {
    const auto of_shared = [&](const char* name) { return prefix + names.shared_expert + name; };
    block.shared_expert = {linear(of_shared(names.expert_gate), mixture.shared_width, width, false, false),
                           linear(of_shared(names.expert_up), mixture.shared_width, width, false, false),
                           linear(of_shared(names.expert_down), width, mixture.shared_width, false, false)};
  }
  const auto all_of = [&](const char* name, std::int64_t out, std::int64_t in) {
    PlannedModule module = linear(named(name), out, in, mixture.expert_bias, false);
    if (!module.weight.empty()) module.weight.shape = {mixture.experts, out, in};
    if (!module.bias.empty()) module.bias.shape = {mixture.experts, out};
    return module;
  };
  block.all_experts = {all_of(names.experts_gate, inner, width), all_of(names.experts_up, inner, width),
                       all_of(names.experts_down, width, inner)};
  block.stacked_gate_up = stacked(named(names.stacked_gate_up), mixture, width, 2 * inner);
  block.stacked_down = stacked(named(names.stacked_down), mixture, inner, width);
  if (!*names.experts) return;
  for (std::int64_t e = 0; e < mixture.experts; ++e) {
    const auto of_expert = [&](const char* name) { return fmt::format("{}{}{}.{}", prefix, names.experts, e, name); };
    block.experts.push_back({linear(of_expert(names.expert_gate), inner, width, mixture.expert_bias, false),
                             linear(of_expert(names.expert_up), inner, width, mixture.expert_bias, false),
                             linear(of_expert(names.expert_down), width, inner, mixture.expert_bias, false)});
  }
}

// Queries, keys and values out of latents.
void plan_latents(const Architecture& architecture, const TensorNames& names, const std::string& prefix,
                  PlannedBlock& block) {
  const LatentRule& rule = *architecture.latents;
  const std::int64_t width = architecture.d_model, heads = architecture.num_heads;
  const bool bias = architecture.qkv_bias;
  block.query = linear(prefix + (rule.query_rank > 0 ? names.query_of_latent : names.query),
                       heads * architecture.head_dim, rule.query_rank > 0 ? rule.query_rank : width, false, false);
  if (rule.query_rank > 0) {
    block.query_latent = linear(prefix + names.query_latent, rule.query_rank, width, bias, false);
    block.query_latent_norm = norm(prefix + names.query_latent_norm, rule.query_rank, false);
  }
  block.key_latent = linear(prefix + names.key_latent, rule.key_rank + rule.rotary, width, bias, false);
  block.key_latent_norm = norm(prefix + names.key_latent_norm, rule.key_rank, false);
  const std::int64_t of_head = architecture.head_dim - rule.rotary + architecture.value_features();
  block.key_value_of_latent = linear(prefix + names.key_value_of_latent, heads * of_head, rule.key_rank, false, false);
}

// Keys and queries of relative positions, as many rows as queries have.
void plan_position_projections(const DisentangledRule& rule, const TensorNames& names, const std::string& prefix,
                               const PlannedModule& query, PlannedBlock& block) {
  if (!rule.own_projections) return;
  const std::int64_t rows = query.weight.shape[0], width = query.weight.shape[1];
  if (rule.c2p) block.position_key = linear(prefix + names.position_key, rows, width, true, false);
  if (rule.p2c) block.position_query = linear(prefix + names.position_query, rows, width, true, false);
}

void plan_row_convolution(const ConvolutionRule& rule, const TensorNames& names, std::int64_t width,
                          PlannedBlock& block) {
  block.convolution = linear(names.convolution, width, width, true, false);
  block.convolution.weight.shape = {width, width / rule.groups, rule.taps};
  block.convolution_norm = norm(names.convolution_norm, width, true);
}

}  // namespace

PlannedBlock planned_block(const Architecture& architecture, const Family& family, std::int64_t layer) {
  const TensorNames& names = family.names;
  const bool numbered = architecture.part != Architecture::Part::pool;
  const std::string prefix =
      numbered ? fmt::format("{}{}.", names.layer, architecture.stored_layer(layer)) : std::string(names.layer);
  const auto named = [&prefix](const char* name) { return *name ? prefix + name : std::string(); };
  const std::int64_t width = architecture.d_model;
  const std::int64_t query_rows = architecture.num_heads * architecture.head_dim;
  const std::int64_t key_rows = architecture.num_kv_heads * architecture.head_dim;
  const bool norm_bias = architecture.norm == Architecture::Norm::layer && architecture.norm_bias;
  const bool in_out = family.in_out;
  PlannedBlock block;
  const bool bare = architecture.bare_first_layer && layer == 0;
  if (!bare) block.attention_norm = norm(named(names.attention_norm), width, norm_bias);
  if (architecture.latents) {
    plan_latents(architecture, names, prefix, block);
  } else {
    block.qkv = linear(named(names.qkv), query_rows + 2 * key_rows, width, architecture.qkv_bias, in_out);
    block.query = linear(named(names.query), query_rows, width, architecture.qkv_bias, in_out);
    block.key = linear(named(names.key), key_rows, width, architecture.qkv_bias && architecture.key_bias, in_out);
    block.value = linear(named(names.value), key_rows, width, architecture.qkv_bias, in_out);
  }
  if (architecture.disentangled)
    plan_position_projections(*architecture.disentangled, names, prefix, block.query, block);
  if (architecture.convolution && layer == 0) plan_row_convolution(*architecture.convolution, names, width, block);
  block.output = linear(named(names.output), width, architecture.num_heads * architecture.value_features(),
                        architecture.output_bias, in_out);
  if (architecture.head_norm) {
    const bool whole = architecture.head_norm_whole;
    block.query_norm = norm(named(names.query_norm), whole ? query_rows : architecture.head_dim, false);
    block.key_norm = norm(named(names.key_norm), whole ? key_rows : architecture.head_dim, false);
    if (architecture.head_norm_own) {
      block.query_norm.weight.shape = {architecture.num_heads, architecture.head_dim};
      block.key_norm.weight.shape = {architecture.num_kv_heads, architecture.head_dim};
    }
  }
  block.attention_norm_out = norm(named(names.attention_norm_out), width, norm_bias);
  block.mlp_norm_out = norm(named(names.mlp_norm_out), width, norm_bias);
  if (architecture.layer_scale) {
    block.attention_norm_out = scale(named(names.attention_scale), width);
    block.mlp_norm_out = scale(named(names.mlp_scale), width);
  }
  const bool mlp = architecture.mlp != Architecture::Mlp::none;
  if (!architecture.shared_norm && mlp) block.mlp_norm = norm(named(names.mlp_norm), width, norm_bias);
  if (architecture.sinks && *names.sinks) block.sinks = {named(names.sinks), "", {architecture.num_heads}};
  if (architecture.has_experts(layer)) {
    plan_experts(architecture, names, prefix, block);
    return block;
  }
  if (!mlp) return block;
  const bool gated = architecture.mlp == Architecture::Mlp::gated;
  block.gate_up = linear(named(names.gate_up), 2 * architecture.mlp_width, width, architecture.mlp_bias, in_out);
  if (gated) block.gate = linear(named(names.gate), architecture.mlp_width, width, architecture.mlp_bias, in_out);
  block.up = linear(named(names.up), architecture.mlp_width, width, architecture.mlp_bias, in_out);
  block.down = linear(named(names.down), width, architecture.mlp_width, architecture.mlp_bias, in_out);
  return block;
}

namespace {

// Another name of a module that is there.
void set_older(const std::string& name, PlannedModule& module) {
  if (!module.weight.empty()) module.weight.older_name = name + ".weight";
  if (!module.bias.empty()) module.bias.older_name = name + ".bias";
}

}  // namespace

PlannedHead planned_head(const Architecture& architecture, const Family& family) {
  const TensorNames& names = family.names;
  const std::int64_t width = architecture.word_width();
  PlannedHead head;
  head.transform = linear(names.transform, width, architecture.d_model, architecture.transform_bias, false);
  head.transform_norm = norm(names.transform_norm, width, architecture.transform_norm_bias);
  head.decoder = linear(names.decoder, architecture.vocab_size, width, false, false);
  if (*names.decoder_bias && architecture.decoder_bias) {
    head.decoder.bias = {names.decoder_bias, std::string(names.decoder) + ".bias", {architecture.vocab_size}};
  }
  if (*names.decoder_row && architecture.decoder_bias) {
    head.decoder.bias = {names.decoder_row, "", {1, architecture.vocab_size}};
  }
  if (*names.older_transform) set_older(names.older_transform, head.transform);
  if (*names.older_transform_norm) set_older(names.older_transform_norm, head.transform_norm);
  if (*names.older_decoder_bias) head.decoder.bias.older_name = names.older_decoder_bias;
  for (PlannedModule* module : {&head.transform, &head.transform_norm, &head.decoder}) {
    module->weight.in_head = module->bias.in_head = true;
  }
  return head;
}

}  // namespace headscope

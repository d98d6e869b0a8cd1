#include "core/model/map_names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/family.h"

namespace headscope {
namespace {

using Words = std::vector<std::string_view>;

// A part whose name has a word of each group. The first rule that fits is taken.
struct NameRule {
  const char* part;
  bool in_layer, vector;
  std::vector<Words> groups;
};

const std::vector<NameRule>& name_rules() {
  static const Words norms = {"norm", "norms", "ln",    "layernorm", "rms", "rmsnorm",
                              "ln1",  "ln2",   "norm1", "norm2",     "n1",  "n2"};
  static const Words embeddings = {"emb", "embed", "embedding", "embeddings", "wte",
                                   "tok", "token", "tokens",    "word",       "words"};
  static const Words attention = {"attn", "attention", "att", "self", "mixer", "mha", "sa"};
  static const std::vector<NameRule> rules = {
      {"query_norm", true, true, {{"q", "query"}, norms}},
      {"query_norm", true, true, {{"qnorm"}}},
      {"key_norm", true, true, {{"k", "key"}, norms}},
      {"key_norm", true, true, {{"knorm"}}},
      {"mlp_norm_out", true, true, {{"post", "after"}, {"ffn", "mlp", "ff", "feed", "feedforward"}, norms}},
      {"sinks", true, true, {{"sink", "sinks"}}},
      {"mlp_norm", true, true, {{"2", "ln2", "norm2", "n2", "post", "ffn", "mlp", "ff", "feed"}, norms}},
      {"attention_norm",
       true,
       true,
       {{"1", "ln1", "norm1", "n1", "input", "pre", "attn", "attention", "att", "sa"}, norms}},
      {"qkv", true, false, {{"qkv", "wqkv"}}},
      {"qkv", true, false, {{"q", "query"}, {"k", "key"}, {"v", "value"}}},
      // torch.nn.MultiheadAttention's; a mixer's in_proj is no attention's.
      {"qkv", true, false, {{"in"}, {"proj"}, {"attn", "attention", "mha", "self"}}},
      {"query", true, false, {{"q", "wq", "query", "queries"}}},
      {"key", true, false, {{"k", "wk", "key", "keys"}}},
      {"value", true, false, {{"v", "wv", "value", "values"}}},
      {"output", true, false, {{"o", "wo", "out", "output", "proj", "projection", "dense"}, attention}},
      {"gate_up", true, false, {{"gate"}, {"up"}}},
      {"gate_up", true, false, {{"w12", "w13", "gateup"}}},
      {"gate", true, false, {{"gate", "w1"}}},
      {"up", true, false, {{"up", "w3", "fc1", "fc", "linear1", "in", "lin1", "wi", "intermediate", "expand", "h"}}},
      {"down", true, false, {{"down", "w2", "fc2", "linear2", "out", "lin2", "wo", "output", "proj", "contract"}}},
      {"position", false, false, {{"pos", "position", "positions", "positional", "wpe"}}},
      {"token_type", false, false, {{"type", "types", "segment", "segments"}}},
      {"decoder", false, false, {{"head", "lm", "decoder", "unembed", "unembedding", "logits", "output", "out"}}},
      {"word", false, false, {embeddings}},
      {"embedding_norm", false, true, {embeddings, norms}},
      {"final_norm", false, true, {{"norm", "ln", "layernorm", "rmsnorm", "final", "f", "lnf"}}},
  };
  return rules;
}

// "decoder.Self_Attn.q" as decoder, self, attn, q.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '.' || c == '_' || c == '-' || c == '/') {
      words.emplace_back();
    } else {
      words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
  }
  return words;
}

bool has_one_of(const std::vector<std::string>& words, const Words& group) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(group.begin(), group.end(), word) != group.end();
  });
}

const MapPart* part_of_key(std::string_view key) {
  const std::span<const MapPart> parts = map_parts();
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const MapPart& part) { return key == part.key; });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

const MapPart* guessed_part(std::string_view name, bool in_layer, std::size_t axes) {
  // As a family of the table calls it.
  for (const Family& family : families()) {
    for (const MapPart& part : map_parts()) {
      const std::string_view theirs = family.names.*part.name;
      if (part.in_layer == in_layer && !theirs.empty() && name == theirs && part.one_axis() == (axes == 1)) {
        return &part;
      }
    }
  }
  const std::vector<std::string> words = words_of(name);
  for (const NameRule& rule : name_rules()) {
    if (rule.in_layer != in_layer || rule.vector != (axes == 1)) continue;
    const auto is_named = [&](const Words& group) { return has_one_of(words, group); };
    if (std::all_of(rule.groups.begin(), rule.groups.end(), is_named)) return part_of_key(rule.part);
  }
  return nullptr;
}

}  // namespace headscope

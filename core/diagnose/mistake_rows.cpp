#include "core/diagnose/mistake_rows.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/assert.h"

namespace headscope {
namespace {

using S = StageId;

// Adds to a mistake of core/compare the first stage that it changes, and its lines of code.
struct KnownStep {
  std::string_view name;
  StageId step;
  std::string_view wrong, right;
};
constexpr std::array kSteps = std::to_array<KnownStep>({
    {"merge-direct", S::concat, "y.reshape(B, S, -1)", "y.transpose(1, 2).reshape(B, S, -1)"},
    {"softmax-over-queries", S::weights, "scores.softmax(dim=-2)", "scores.softmax(dim=-1)"},
    {"no-scale", S::scores, "scores = q @ k.T", "scores = q @ k.T {scale}"},
    {"scale-by-d-model", S::scores, "/ math.sqrt(d_model)", "{scale}"},
    {"mask-inverted", S::masked_scores, "{keep}", "{hide}"},
    {"mask-after-softmax", S::masked_scores, "scores.softmax(-1) * mask", "{hide}.softmax(-1)"},
    {"qkv-blocked-as-per-head", S::query_proj, "qkv.view(B, S, H, 3 * D).chunk(3, -1)", "qkv.chunk(3, -1)"},
    {"qkv-per-head-as-blocked", S::query_proj, "qkv.chunk(3, -1)", "qkv.view(B, S, H, 3 * D).chunk(3, -1)"},
    {"key-not-transposed", S::raw_scores, "q @ k", "q @ k.transpose(-2, -1)"},
    {"query-key-swapped", S::query_proj, "k @ q.T", "q @ k.T"},
    {"key-value-swapped", S::key_proj, "attention(q, v, k)", "attention(q, k, v)"},
    {"query-value-swapped", S::query_proj, "attention(v, k, q)", "attention(q, k, v)"},
    {"projection-transposed", S::query_proj, "x @ weight", "x @ weight.T"},
    {"output-transposed", S::output, "y @ weight", "y @ weight.T"},
    {"projection-bias-missing", S::query_proj, "F.linear(x, weight)", "F.linear(x, weight, bias)"},
    {"output-bias-missing", S::output, "F.linear(y, weight)", "F.linear(y, weight, bias)"},
    {"heads-reversed", S::query_proj, "heads in the opposite order", "heads in their order"},
    {"batch-as-sequence", S::query_proj, "nn.MultiheadAttention(...)", "nn.MultiheadAttention(..., batch_first=True)"},
    {"axes-exchanged", S::input, "y.transpose(0, 1)", "y"},
    {"mask-missing", S::masked_scores, "scores.softmax(-1)", "{mask}.softmax(-1)"},
    {"causal-align", S::masked_scores, "{other corner}", "{corner}"},
    {"mask-order", S::scores, "{other order}", "{order}"},
    {"mask-kind-additive", S::masked_scores, "scores + mask", "{mask}"},
    {"mask-kind-keep", S::masked_scores, "scores.masked_fill(~mask, {fill})", "{mask}"},
    {"mask-kind-hide", S::masked_scores, "scores.masked_fill(mask, {fill})", "{mask}"},
    {"fully-masked-zero", S::weights, "weights.nan_to_num(0)", "{rows}"},
    {"fully-masked-uniform", S::weights, "torch.where(visible.any(-1, keepdim=True), weights, 1 / K)", "{rows}"},
    {"fully-masked-as-computed", S::weights, "weights", "{rows}"},
    {"mask-fill-infinite", S::masked_scores, "masked_fill(~mask, -inf)", "masked_fill(~mask, {fill})"},
    {"mask-fill-1e4", S::masked_scores, "masked_fill(~mask, -1e4)", "masked_fill(~mask, {fill})"},
    {"mask-fill-1e20", S::masked_scores, "masked_fill(~mask, -1e20)", "masked_fill(~mask, {fill})"},
    {"scale-by-head-dim", S::scores, "/ head_dim", "{scale}"},
    {"scale-multiplied", S::scores, "* math.sqrt(head_dim)", "{scale}"},
    {"softcap-missing", S::capped_scores, "scores", "cap * torch.tanh(scores / cap)"},
    {"dropout-missing", S::dropped_weights, "weights", "dropout(weights)"},
});

std::vector<MistakeRow> made_rows() {
  std::vector<MistakeRow> rows;
  for (const Mistake& known : known_mistakes()) {
    const auto step =
        std::find_if(kSteps.begin(), kSteps.end(), [&](const KnownStep& each) { return each.name == known.name; });
    HEADSCOPE_ASSERT(step != kSteps.end(), std::string(known.name) + " has no step");
    rows.push_back({known.name, step->step, known.sentence, step->wrong, step->right, nullptr, 1});
  }
  for (const auto& table :
       {score_mistakes(), mask_mistakes(), position_mistakes(), head_mistakes(), rotary_mistakes()}) {
    rows.insert(rows.end(), table.begin(), table.end());
  }
  return rows;
}

}  // namespace

const std::vector<MistakeRow>& all_mistakes() {
  static const std::vector<MistakeRow> rows = made_rows();
  return rows;
}

bool make_mistake(std::size_t place, int variation, Altered& what) {
  const MistakeRow& row = all_mistakes().at(place);
  return row.make != nullptr ? row.make(what, variation) : known_mistakes().at(place).make(what);
}

const MistakeRow* mistake_named(std::string_view name) {
  const auto& rows = all_mistakes();
  const auto found = std::find_if(rows.begin(), rows.end(), [=](const MistakeRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace headscope

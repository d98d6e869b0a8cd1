// Long because it is one table, a row a stage.
#include "core/request/stage_info.h"

#include <string>
#include <utility>

#include "core/base/assert.h"

namespace headscope {
namespace {

using S = StageId;
using Size = StageSize;
using When = StageWhen;
using Card = StageCard;
using V = Variant;

constexpr StagePictureDefaults kValues{"value", StageColors::diverging, StageRange::by_numbers};
constexpr StagePictureDefaults kScores{"score", StageColors::diverging, StageRange::by_numbers};
// What softmax gives is known without looking; dropout divides what it keeps.
constexpr StagePictureDefaults kWeights{"weight", StageColors::sequential, StageRange::zero_to_one};
constexpr StagePictureDefaults kDroppedWeights{"weight", StageColors::sequential, StageRange::by_numbers};

// [batch, position, feature]
std::vector<StageAxis> axes_of_rows(Size positions, Size features) {
  return {{Axis::batch, Size::batch}, {Axis::position, positions}, {Axis::feature, features}};
}

// [batch, head, position, feature]
std::vector<StageAxis> heads_of(Size heads, Size positions, Size features) {
  return {{Axis::batch, Size::batch}, {Axis::head, heads}, {Axis::position, positions}, {Axis::feature, features}};
}

// [batch, position, head, feature]
std::vector<StageAxis> split_rows_of(Size positions, Size heads, Size features) {
  return {{Axis::batch, Size::batch}, {Axis::position, positions}, {Axis::head, heads}, {Axis::feature, features}};
}

// [batch, head, query, key]
std::vector<StageAxis> score_axes() {
  return {{Axis::batch, Size::batch}, {Axis::head, Size::heads}, {Axis::query, Size::queries}, {Axis::key, Size::keys}};
}

// ---- what few rows have, added to a row
StageInfo stored(StageInfo info) {
  info.stored = true;
  return info;
}

StageInfo with_formula(StageInfo info, StageFormula formula) {
  info.formula = std::move(formula);
  return info;
}

std::vector<StageInfo> input_stages() {
  return {
      stored({S::input,
              "input",
              "b,i,d",
              axes_of_rows(Size::queries, Size::input_dim),
              When::vectors,
              Card::inputs,
              kValues,
              {.sources = {Source::query_input}}}),
      stored({S::key_input,
              "key_input",
              "b,j,d",
              axes_of_rows(Size::key_tokens, Size::key_input_dim),
              When::cross,
              Card::inputs,
              kValues,
              {.sources = {Source::key_input}}}),
      {S::value_input,
       "value_input",
       "b,j,d",
       axes_of_rows(Size::key_tokens, Size::value_input_dim),
       When::cross,
       Card::inputs,
       kValues,
       {.sources = {Source::value_input}}},
  };
}

// Which features are whose: query, key and value of which head.
StageMaking split_from(std::vector<S> from, std::vector<Source> sources) {
  return {{std::move(from)},
          std::move(sources),
          {"heads", "kv-heads", "qkv-layout"},
          {V::qkv_blocked_as_per_head, V::qkv_per_head_as_blocked}};
}

std::vector<StageInfo> projection_stages() {
  return {
      {S::qkv,
       "qkv",
       "b,i,o",
       axes_of_rows(Size::queries, Size::qkv_rows),
       When::fused,
       Card::fused,
       kValues,
       {.from = {{S::input}}, .sources = {Source::projection}}},
      {S::qkv_split, "qkv_split", "b,i,h,f", split_rows_of(Size::queries, Size::heads, Size::head_qkv), When::per_head,
       Card::fused, kValues, split_from({S::qkv}, {}), false, S::qkv_heads},
      {S::qkv_heads,
       "qkv_heads",
       "b,h,i,f",
       heads_of(Size::heads, Size::queries, Size::head_qkv),
       When::per_head,
       Card::fused,
       kValues,
       {.from = {{S::qkv_split}}},
       true},
      {S::query_proj, "query_proj", "b,i,o", axes_of_rows(Size::queries, Size::query_features), When::projected,
       Card::projections, kValues, split_from({S::qkv, S::input}, {Source::projection})},
      {S::key_proj, "key_proj", "b,j,o", axes_of_rows(Size::key_tokens, Size::key_features), When::projected,
       Card::projections, kValues, split_from({S::qkv, S::key_input, S::input}, {Source::projection})},
      {S::value_proj, "value_proj", "b,j,o", axes_of_rows(Size::key_tokens, Size::value_features), When::projected,
       Card::projections, kValues, split_from({S::qkv, S::value_input, S::input}, {Source::projection})},
  };
}

std::vector<StageInfo> head_stages() {
  return {
      {S::query,
       "query",
       "b,h,i,d",
       heads_of(Size::heads, Size::queries, Size::head_dim),
       When::always,
       Card::heads,
       kValues,
       {.from = {{S::qkv_heads, S::query_proj}},
        .sources = {Source::query_input, Source::head_rule},
        .options = {"heads", "kv-heads"}}},
      {S::key,
       "key",
       "b,g,j,d",
       heads_of(Size::kv_heads, Size::keys, Size::head_dim),
       When::always,
       Card::heads,
       kValues,
       {.from = {{S::qkv_heads, S::key_proj}},
        .sources = {Source::key_input, Source::projection, Source::head_rule},
        .options = {"heads", "kv-heads"}}},
      {S::value,
       "value",
       "b,g,j,d",
       heads_of(Size::kv_heads, Size::keys, Size::value_head_dim),
       When::always,
       Card::heads,
       kValues,
       {.from = {{S::qkv_heads, S::value_proj}},
        .sources = {Source::value_input, Source::projection, Source::head_rule},
        .options = {"heads", "kv-heads"}}},
  };
}

// softcap * tanh(score / softcap), as Gemma 2 caps its scores
StageFormula softcap_formula() {
  const CellFormula cap =
      parameter_of({"softcap", [](const Request& request) { return request.softcap.value_or(1.0); }});
  return {"softcap", "A soft cap on their size.",
          product_of(cap, function_of(tanh_function(), quotient_of(cell_of(0), cap)))};
}

// What relative positions add to scores of content; their own keys and queries are projected from a table.
std::vector<StageInfo> position_stages() {
  const auto row = [](S id, const char* name, When when, S from) {
    return stored({id,
                   name,
                   "b,h,i,j",
                   score_axes(),
                   when,
                   Card::own,
                   kScores,
                   {.from = {{from}},
                    .sources = {Source::projection},
                    .options = {"scale"},
                    .variants = {V::no_scale, V::scale_by_d_model}}});
  };
  return {row(S::c2p, "c2p", When::c2p, S::query), row(S::p2c, "p2c", When::p2c, S::key)};
}

std::vector<StageInfo> score_stages() {
  return {
      {S::raw_scores,
       "raw_scores",
       "b,h,i,j",
       score_axes(),
       When::always,
       Card::own,
       kScores,
       {.from = {{S::query}, {S::key}}, .variants = {V::key_not_transposed}}},
      {S::scores,
       "scores",
       "b,h,i,j",
       score_axes(),
       When::always,
       Card::own,
       kScores,
       {.from = {{S::raw_scores}}, .options = {"scale", "mask-order"}, .variants = {V::no_scale, V::scale_by_d_model}}},
      with_formula({S::capped_scores,
                    "capped_scores",
                    "b,h,i,j",
                    score_axes(),
                    When::softcap,
                    Card::own,
                    kScores,
                    {.from = {{S::scores}}, .options = {"softcap", "softcap-order"}}},
                   softcap_formula()),
      {S::masked_scores,
       "masked_scores",
       "b,h,i,j",
       score_axes(),
       When::always,
       Card::own,
       kScores,
       {.from = {{S::capped_scores, S::scores}, {S::c2p}, {S::p2c}},
        .sources = {Source::mask},
        .options = {"mask-order", "mask-fill"},
        .variants = {V::mask_inverted, V::mask_after_softmax}}},
  };
}

std::vector<StageInfo> weight_stages() {
  return {
      {S::weights,
       "weights",
       "b,h,i,j",
       score_axes(),
       When::always,
       Card::own,
       kWeights,
       {.from = {{S::masked_scores}},
        .sources = {Source::mask, Source::sinks},
        .options = {"fully-masked"},
        .variants = {V::softmax_over_queries, V::mask_after_softmax}}},
      {S::dropped_weights,
       "dropped_weights",
       "b,h,i,j",
       score_axes(),
       When::dropout,
       Card::own,
       kDroppedWeights,
       {.from = {{S::weights}}, .sources = {Source::dropout_mask}, .options = {"dropout", "dropout-seed"}}},
      {S::captured_weights,
       "captured_weights",
       "b,h,i,j",
       score_axes(),
       When::captured,
       Card::own,
       kWeights,
       {.sources = {Source::capture}}},
      {S::sink_weights,
       "sink_weights",
       "b,h,i",
       {{Axis::batch, Size::batch}, {Axis::head, Size::heads}, {Axis::query, Size::queries}},
       When::sinks,
       Card::own,
       kWeights,
       {.from = {{S::masked_scores}},
        .sources = {Source::mask, Source::sinks},
        .options = {"fully-masked"},
        .variants = {V::softmax_over_queries}}},
  };
}

std::vector<StageInfo> result_stages() {
  return {
      stored({S::context,
              "context",
              "b,h,i,d",
              heads_of(Size::heads, Size::queries, Size::value_head_dim),
              When::always,
              Card::own,
              kValues,
              {.from = {{S::dropped_weights, S::weights}, {S::value}}}}),
      {S::concat,
       "concat",
       "b,i,d",
       axes_of_rows(Size::queries, Size::concat_features),
       When::always,
       Card::own,
       kValues,
       {.from = {{S::context}}, .options = {"merge"}}},
      stored({S::output,
              "output",
              "b,i,o",
              axes_of_rows(Size::queries, Size::output_rows),
              When::output,
              Card::own,
              kValues,
              {.from = {{S::concat}}, .sources = {Source::output}}}),
      stored({S::attention_norm_out,
              "attention_norm_out",
              "b,i,d",
              axes_of_rows(Size::queries, Size::output_rows),
              When::output_norm,
              Card::own,
              kValues,
              {.from = {{S::output}}, .sources = {Source::output_norm}}}),
  };
}

}  // namespace

const std::vector<StageInfo>& stage_infos() {
  static const std::vector<StageInfo> table = [] {
    std::vector<StageInfo> all;
    for (const auto& part : {input_stages(), projection_stages(), head_stages(), position_stages(), score_stages(),
                             weight_stages(), result_stages()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

const StageInfo& stage_info(StageId stage) {
  const auto row = static_cast<std::size_t>(stage);
  HEADSCOPE_ASSERT(row < stage_infos().size() && stage_infos()[row].id == stage, "stage " + std::to_string(row));
  return stage_infos()[row];
}

StageId shown_by_heads(StageId stage) {
  return stage_info(stage).by_heads.value_or(stage);
}

}  // namespace headscope

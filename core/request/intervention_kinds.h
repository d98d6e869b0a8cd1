// The kinds of interventions, one row each. What lists, spells, switches off or compares them goes through this table;
// only the code that does a kind's own work names its field.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/request/intervention_text.h"
#include "core/request/interventions.h"
#include "core/request/option_reach.h"
#include "core/request/stage.h"

namespace headscope {

// What of the computation a kind changes.
enum class InterventionEffect {
  numbers,  // what a formula gives: replaced, multiplied or held
  mask,     // which cells are hidden
  heads,    // whole heads leave the context; every stage before it is as computed
};

// Item: has `on`, `fields` and operator==, and the functions of intervention_text.h; where it speaks of a head a
// `place`.
template <typename Item>
struct InterventionKind {
  InterventionOption option;
  std::vector<Item> Interventions::*field = nullptr;
  InterventionEffect effect = InterventionEffect::numbers;
  std::optional<StageId> changes = {};  // the one stage that it changes; nothing: the mask, or what each of them names
  bool of_key_heads = false;            // its heads are key and value heads
  bool typed = false;  // its number is typed or dragged: several changes that follow one another are one step of undo
  // What a run may take from one with another list, and how far rows keep their numbers under one that is on.
  // named_stages: `changes`, or the stages that its items name.
  OptionChanges reach = OptionChanges::anything;
  RowsApart rows = RowsApart::nowhere;
};

inline constexpr const char* kFactorTerms = "none, or a number, or LAYER.HEAD=NUMBER, such as 2 or 0.3=0.5,1.0=2";

inline constexpr const char* kSetTerms =
    "none, or [LAYER/]STAGE[:HEAD[,POSITION]]=FILE.npy or =NUMBER[;...], such as 1/stream:5=mine.npy, "
    "context:3,2..4=mine.npy or value:,-1=0";
inline constexpr const char* kAddTerms =
    "none, or [LAYER/]STAGE[:HEAD[,POSITION]]=FILE.npy[*FACTOR][;...], such as 1/stream=steer.npy*4 or "
    "mlp_out:-1=mine.npy";
inline constexpr const char* kDirectionTerms =
    "none, or [LAYER/]STAGE[:HEAD[,POSITION]]=FILE.npy[;...], such as 1/stream=direction.npy or z:3=direction.npy";

// In the order of the options.
inline constexpr std::tuple kInterventionKinds{
    InterventionKind<AblatedHead>{
        .option = {.name = "ablate",
                   .placeholder = "L.H[,L.H]",
                   .help = "Heads whose context is set to zero (none). With off: before it: listed, not applied.",
                   .list = "a list of heads",
                   .expected = "none, or LAYER.HEAD[,LAYER.HEAD...], such as 0.3,0.5"},
        .field = &Interventions::ablate,
        .effect = InterventionEffect::heads,
        .changes = StageId::context,
        .reach = OptionChanges::named_stages,
        .rows = RowsApart::everywhere},
    InterventionKind<FrozenHead>{
        .option = {.name = "freeze",
                   .placeholder = "L.H=uniform|identity[,...]",
                   .help = "Heads whose weights are held: 1/n for the n visible keys, or 1 at the query's own place on "
                           "the aligned diagonal, where that key is there and visible; every other weight, and a row "
                           "without such keys, is 0.",
                   .list = "a list of frozen heads",
                   .expected = "none, or LAYER.HEAD=uniform|identity, such as 0.3=uniform,0.5=identity"},
        .field = &Interventions::freeze,
        .changes = StageId::weights,
        .reach = OptionChanges::named_stages},
    InterventionKind<HeadFactor>{.option = {.name = "scale-query",
                                            .placeholder = "G|L.H=G[,...]",
                                            .help = "Multiplies the stage query, of all heads or of head H of layer L.",
                                            .list = "a list of factors",
                                            .expected = kFactorTerms},
                                 .field = &Interventions::scale_query,
                                 .changes = StageId::query,
                                 .typed = true,
                                 .reach = OptionChanges::named_stages},
    InterventionKind<HeadFactor>{.option = {.name = "scale-key",
                                            .placeholder = "G|L.H=G[,...]",
                                            .help = "The same of the stage key; H counts key and value heads.",
                                            .list = "a list of factors",
                                            .expected = kFactorTerms},
                                 .field = &Interventions::scale_key,
                                 .changes = StageId::key,
                                 .of_key_heads = true,
                                 .typed = true,
                                 .reach = OptionChanges::named_stages},
    InterventionKind<NumberEdit>{
        .option = {.name = "edit",
                   .placeholder = "[L/]STAGE:B,H,I,J=VALUE[;...]",
                   .help = "One number of any stage, or of a tensor of the layer's weights by its file's name "
                           "(qkv_layer.weight:3,7=0.5), replaced once it is computed; all that comes after follows. L: "
                           "the layer (the one that is shown).",
                   .list = "a list of edits",
                   .expected = "none, or STAGE:B,H,I,J=VALUE[;...], such as scores:0,2,3,1=0.5, 1/input:0,4,7=-2 or "
                               "qkv_layer.weight:3,7=0",
                   .separator = ';'},
        .field = &Interventions::edits,
        .reach = OptionChanges::named_stages},
    InterventionKind<PaintedCells>{
        .option = {.name = "paint",
                   .placeholder = "hide@I0:I1,J0:J1[;show@...]",
                   .help = "Rectangles of queries and keys hidden or shown over the masks, the last one on top; I0:I1 "
                           "may be I or :.",
                   .list = "a list of rectangles",
                   .expected = "none, or hide@I0:I1,J0:J1 or show@I0:I1,J0:J1[;...], such as hide@:,3:4",
                   .separator = ';'},
        .field = &Interventions::paint,
        .effect = InterventionEffect::mask,
        .reach = OptionChanges::inputs},
    InterventionKind<PatchedStage>{
        .option = {.name = "patch",
                   .placeholder = "[L/]STAGE[:H[,I]]@A[;...]",
                   .help =
                       "Puts numbers of the run of --patch-from into this one, once the stage is computed; all that "
                       "comes after follows. L: the layer (the one that is shown); H: one head, I: one position "
                       "(every one; :,I every head); stages without heads take :I. STAGE may be stream, what "
                       "enters a layer of a model, or mlp_out, what its MLP adds. Positions are matched by their "
                       "tokens.",
                   .list = "a list of patches",
                   .expected =
                       "none, or [LAYER/]STAGE[:HEAD[,POSITION]]@A[;...], such as 0/context:3@A, weights:1,4@A, "
                       "value:,2@A or 1/stream:5@A",
                   .separator = ';'},
        .field = &Interventions::patches,
        .reach = OptionChanges::named_stages},
    InterventionKind<StageArray>{
        .option = {.name = "set",
                   .placeholder = "[L/]STAGE[:H[,I]|:I]=FILE.npy|NUMBER[;...]",
                   .help = "Numbers of a stage replaced by an array of your own, or by one number, once the stage is "
                           "computed; all that comes after follows. STAGE as in --patch, or attention_out, what "
                           "attention adds to the stream, or z, which is context. I: a position, a range I0..I1 with "
                           "both ends, below 0 from the end. The array: [features] for every chosen place, [places, "
                           "features], or the stage's whole shape. First --set acts, then --add, --project-out, "
                           "--patch and --edit; --ablate, --freeze and --scale-* before them. nan and inf are put in "
                           "as they are.",
                   .list = "a list of arrays",
                   .expected = kSetTerms,
                   .separator = ';'},
        .field = &Interventions::set_arrays,
        .reach = OptionChanges::named_stages},
    InterventionKind<StageArray>{
        .option = {.name = "add",
                   .placeholder = "[L/]STAGE[...]=FILE.npy[*FACTOR][;...]",
                   .help = "An array of your own, times FACTOR (1), added to a stage; places and shapes as with --set. "
                           "Several at one place add up.",
                   .list = "a list of arrays",
                   .expected = kAddTerms,
                   .separator = ';'},
        .field = &Interventions::added_arrays,
        .reach = OptionChanges::named_stages},
    InterventionKind<StageArray>{
        .option = {.name = "project-out",
                   .placeholder = "[L/]STAGE[...]=FILE.npy[;...]",
                   .help = "A direction d taken out of a stage: x - (x.d / |d|^2) d along the features; places and "
                           "shapes as with --set.",
                   .list = "a list of directions",
                   .expected = kDirectionTerms,
                   .separator = ';'},
        .field = &Interventions::projected_out,
        .reach = OptionChanges::named_stages}};

inline constexpr std::size_t kInterventionKindCount = std::tuple_size_v<decltype(kInterventionKinds)>;
static_assert(sizeof(Interventions) == kInterventionKindCount * sizeof(std::vector<AblatedHead>),
              "every list of Interventions has its row in kInterventionKinds");

// visit(kind) of every row.
template <typename Visit>
constexpr void for_each_kind(const Visit& visit) {
  std::apply([&](const auto&... kind) { (visit(kind), ...); }, kInterventionKinds);
}

// visit(kind, list) of every row and the list that `of`, a request or its interventions, holds of it.
template <typename Of, typename Visit>
constexpr void visit_interventions(Of& of, const Visit& visit) {
  for_each_kind([&](const auto& kind) { visit(kind, of.*kind.field); });
}

// Calls visit(kind, array) for every array of --set, --add and --project-out.
template <typename Of, typename Visit>
constexpr void visit_arrays(Of& of, const Visit& visit) {
  visit_interventions(of, [&](const auto& kind, auto& list) {
    if constexpr (std::is_same_v<typename std::decay_t<decltype(list)>::value_type, StageArray>) {
      for (auto& each : list) visit(kind, each);
    }
  });
}

// The same in the order in which faults are named: edits first, as what is typed most.
template <typename Of, typename Visit>
constexpr void visit_for_faults(Of& of, const Visit& visit) {
  const auto visit_if = [&](bool edits) {
    visit_interventions(of, [&](const auto& kind, auto& list) {
      constexpr bool is_edit = std::is_same_v<typename std::decay_t<decltype(list)>::value_type, NumberEdit>;
      if (is_edit == edits) visit(kind, list);
    });
  };
  visit_if(true);
  visit_if(false);
}

// Whether an option of REQUEST lists interventions.
constexpr bool is_intervention(std::string_view option) {
  bool found = false;
  for_each_kind([&](const auto& kind) { found = found || option == kind.option.name; });
  return found;
}

template <typename Item>
bool any_on(const std::vector<Item>& list) {
  return std::any_of(list.begin(), list.end(), [](const Item& each) { return each.on; });
}

// Whether an intervention of that effect is on.
bool any_acts(const Interventions& of, InterventionEffect effect);

// Whether any is on.
bool any_acts(const Interventions& of);

// The heads whose context is 0, in the order in which they were switched off, and whether `place` is one of them.
std::vector<LayerHead> ablated_heads(const Interventions& of);
bool is_ablated(const Interventions& of, const LayerHead& place);

// The stages whose heads an option multiplies, in the order of the options.
std::vector<StageId> multiplied_stages();

// What multiplies the heads of a stage: the row and its list; null where no option does.
const InterventionKind<HeadFactor>* factor_kind(StageId stage);
const std::vector<HeadFactor>* factors_of(const Interventions& of, StageId stage);

// The head that it speaks of; nothing: several, or no head at all.
template <typename Item>
std::optional<LayerHead> place_of_item(const Item& item) {
  if constexpr (requires { item.place; }) {
    return item.place;
  } else {
    return {};
  }
}

// Whether it speaks of `layer`, where `shown` is the layer that is looked at: what names no layer speaks of every one,
// an edit of the shown one.
template <typename Item>
bool speaks_of(const Item& item, std::int64_t layer, std::int64_t shown) {
  if constexpr (requires { item.layer; }) {
    return item.layer.value_or(shown) == layer;
  } else {
    const std::optional<LayerHead> place = place_of_item(item);
    return !place || place->layer == layer;
  }
}

// Puts a list into the order in which it is kept: of ablated heads by place, those that are on first.
void arrange(std::vector<AblatedHead>& list);
template <typename Item>
void arrange(std::vector<Item>&) {}

// All terms as the value of their option; "" when there are none.
template <typename Item>
std::string terms_text(const InterventionKind<Item>& kind, const std::vector<Item>& list) {
  std::string text;
  for (const Item& each : list) {
    if (!text.empty()) text += kind.option.separator;
    text += term_text(each);
  }
  return text;
}

// Parses the value of the option; "none" is the empty list, and of terms about the same thing the last one counts.
// UsageError names the option, what was found and what was expected; `of` is then as it was.
template <typename Item>
void set_terms(const InterventionKind<Item>& kind, Interventions& of, const std::string& text) {
  std::vector<Item> list;
  for (const std::string& term : split_terms(kind.option, text)) {
    Item item;
    read_term(kind.option, term, item);
    std::erase_if(list, [&](const Item& other) { return same_thing(other, item); });
    list.push_back(std::move(item));
  }
  arrange(list);
  of.*kind.field = std::move(list);
}

}  // namespace headscope

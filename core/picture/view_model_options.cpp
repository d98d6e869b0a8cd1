// The rows of VIEW that ask something of a whole model: which logit, which sweep; and two that other views share.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/explain/logit_tokens.h"
#include "core/picture/view_option_kinds.h"
#include "core/request/layer_head_text.h"
#include "core/sweep/metric_words.h"

namespace headscope {

namespace {

constexpr Word<SensitivityBy> kDerivedBy[] = {{SensitivityBy::weights, "weights"}, {SensitivityBy::scores, "scores"}};
constexpr Word<AttributionBy> kTakenApartBy[] = {
    {AttributionBy::components, "components"}, {AttributionBy::heads, "heads"}, {AttributionBy::sources, "sources"}};
constexpr Word<CompositionKind> kReads[] = {{CompositionKind::query, kCompositionNames[0]},
                                            {CompositionKind::key, kCompositionNames[1]},
                                            {CompositionKind::value, kCompositionNames[2]}};
constexpr Word<SweepPatch> kPatches[] = {{SweepPatch::heads, kSweepPatchNames[0]},
                                         {SweepPatch::positions, kSweepPatchNames[1]},
                                         {SweepPatch::stages, kSweepPatchNames[2]},
                                         {SweepPatch::paths, kSweepPatchNames[3]},
                                         {SweepPatch::heads_positions, kSweepPatchNames[4]},
                                         {SweepPatch::head_parts, kSweepPatchNames[5]},
                                         {SweepPatch::mlps, kSweepPatchNames[6]},
                                         {SweepPatch::neurons, kSweepPatchNames[7]}};
constexpr Word<LensOf> kLensOf[] = {
    {LensOf::layers, kLensOfNames[0]}, {LensOf::attention, kLensOfNames[1]}, {LensOf::heads, kLensOfNames[2]}};
constexpr Word<bool> kOfALoss[] = {{false, "off"}, {true, "on"}};
constexpr Word<SweepDirection> kDirections[] = {{SweepDirection::denoise, kSweepDirectionNames[0]},
                                                {SweepDirection::noise, kSweepDirectionNames[1]}};
constexpr Word<Ablation> kAblations[] = {{Ablation::zero, kAblationNames[0]}, {Ablation::mean, kAblationNames[1]}};

// A position of arcs, neurons and text, or the tokens of an attribution: `view.view` says which.
std::string token_text(const ViewSpec& view) {
  return view.view == ViewKind::attribution ? view.question.tokens : whole_text(view.token);
}

void set_token(ViewSpec& view, const std::string& text) {
  if (view.view != ViewKind::attribution) {
    view.token = parse_whole("token", text, 0, std::numeric_limits<std::int64_t>::max());
    return;
  }
  check_text("token", text, true);
  logit_token_texts(text);
  view.question.tokens = text;
}

template <typename Words, typename Value>
bool set_word(const Words& words, const std::string& text, Value& value) {
  for (const auto& word : words) {
    if (text != word.text) continue;
    value = word.value;
    return true;
  }
  return false;
}

std::string by_text(const ViewSpec& view) {
  if (view.by) return std::string(sensitivity_by_name(*view.by));
  if (view.question.reads) return std::string(composition_kind_name(*view.question.reads));
  return view.question.by ? std::string(attribution_by_name(*view.question.by)) : "";
}

// A word is of one view alone.
void set_by(ViewSpec& view, const std::string& text) {
  std::optional<SensitivityBy> derived;
  std::optional<AttributionBy> taken_apart;
  std::optional<CompositionKind> reads;
  if (!set_word(kDerivedBy, text, derived) && !set_word(kTakenApartBy, text, taken_apart) &&
      !set_word(kReads, text, reads)) {
    refuse_value("by", text, "a known value",
                 fmt::format("{}; of an attribution {}; of a composition {}", expected_words(kDerivedBy),
                             expected_words(kTakenApartBy), expected_words(kReads)));
  }
  view.by = derived;
  view.question.by = taken_apart;
  view.question.reads = reads;
}

// The tokens in it are looked at once there is a model.
void set_metric(ViewSpec& view, const std::string& text) {
  if (!spells_metric(text)) refuse_value("metric", text, "a metric", metric_expected());
  check_text("metric", text, true);
  view.question.metric = text;
}

// A head at which the paths of a sweep begin or end.
template <OptionName name, auto field>
ViewOption path_end_option(const char* help) {
  return {name.text, "L:H", help,
          [](const ViewSpec& view) -> std::string {
            const std::optional<LayerHead>& place = field_of(view, field);
            return place ? layer_head_text(*place) : "";
          },
          [](ViewSpec& view, const std::string& text) { field_of(view, field) = parse_layer_head(name.text, text); }};
}

// Zeros and means come from no run that could take the other's numbers.
const char* missing_for_direction(const ViewSpec& view) {
  return view.question.ablation ? "the numbers of --against in place of --ablation" : nullptr;
}

}  // namespace

ViewOption token_option() {
  return on(
      {{ViewKind::arcs, ViewKind::neurons, ViewKind::text, ViewKind::attribution}},
      {"token", "I|A[,B]",
       "arcs: the query that stands out; neurons: the query (default 0); text: the query, with --along column the "
       "key (default the last); attribution: the token whose logit is taken apart, or the difference A - B.",
       token_text, set_token, ViewOption::Json::whole});
}

ViewOption by_option() {
  return on(
      {{ViewKind::sensitivity, ViewKind::attribution, ViewKind::score, ViewKind::composition}},
      {"by", placeholder_of(kDerivedBy) + "|" + placeholder_of(kTakenApartBy) + "|" + placeholder_of(kReads),
       "sensitivity: what the cell is derived by, weights or scores (default scores for stages of queries and keys, "
       "else weights); attribution: attention as one, by heads, or every head by the tokens that it reads (default "
       "components); score: by components or heads (default heads); composition: what of a head reads, its query, "
       "key or value (default key).",
       by_text, set_by});
}

std::vector<ViewOption> with_model_options(std::vector<ViewOption> options) {
  using Q = ModelQuestion;
  constexpr ViewReach sweep{{ViewKind::sweep}};
  options.push_back(
      on({{ViewKind::attribution}},
         word_option<"loss", &Q::loss, kOfALoss>(
             "attribution: the loss of the token, -ln of its probability in nats, is taken apart in place of its "
             "logit.")));
  options.back().placeholder.clear();
  options.back().json = ViewOption::Json::flag;
  // On the command line a word of --patch, which is REQUEST's: a sweep puts in patches of its own.
  options.push_back(on(
      sweep,
      word_option<"patch", &Q::patch, kPatches>(
          "sweep: a run for every head's context, every position of the stream before every layer, query, key, value, "
          "weights, context and output of every layer, every path from or into a head, every head at every position, "
          "every part of every head, every MLP, or every neuron (default heads).")));
  options.back().on_command_line = false;
  options.push_back(on(sweep, {"metric", "METRIC",
                               "sweep: what is measured after every patch, as the command sweep has it; --at POSITION "
                               "says where (default: [MASK] "
                               "where there is one, else the last position).",
                               [](const ViewSpec& view) { return view.question.metric; }, set_metric}));
  options.push_back(on({{ViewKind::sweep}, missing_for_direction},
                       word_option<"direction", &Q::direction, kDirections>(
                           "sweep: the request takes numbers of A (default), or A takes those of the request.")));
  options.push_back(on(sweep, word_option<"ablation", &Q::ablation, kAblations>(
                                  "sweep: zeros, or the mean over the text's own positions, in place of the numbers of "
                                  "--against.")));
  options.push_back(on(sweep, path_end_option<"from", &Q::from>(
                                  "sweep with --patch paths: the head whose context takes the other numbers on its way "
                                  "into every later head alone.")));
  options.push_back(on(sweep, path_end_option<"into", &Q::into>(
                                  "sweep with --patch paths: the head that paths from every earlier head end at.")));
  options.push_back(
      on({{ViewKind::lens}},
         word_option<"lens-of", &Q::lens_of, kLensOf>(
             "lens: the stream after every layer, or after the attention of every layer without its MLP (in parallel "
             "blocks too), or what each head of --layer wrote alone, through a final norm of that vector alone, which "
             "scales a small one up (default layers).")));
  return options;
}

std::string_view sensitivity_by_name(SensitivityBy by) {
  for (const auto& word : kDerivedBy) {
    if (word.value == by) return word.text;
  }
  return "";
}

std::string_view composition_kind_name(CompositionKind kind) {
  for (const auto& word : kReads) {
    if (word.value == kind) return word.text;
  }
  return "";
}

std::string_view attribution_by_name(AttributionBy by) {
  for (const auto& word : kTakenApartBy) {
    if (word.value == by) return word.text;
  }
  return "";
}

}  // namespace headscope

// The table of VIEW: one row an option.
#include "core/picture/view_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/picture/theme_words.h"
#include "core/picture/view_option_kinds.h"
#include "core/request/option_text.h"
#include "core/request/option_words.h"

namespace headscope {

namespace {

using V = ViewSpec;

constexpr std::int64_t kMostHeads = 1 << 20;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

constexpr Word<ViewKind> kKinds[] = {{ViewKind::heads, "heads"},
                                     {ViewKind::head, "head"},
                                     {ViewKind::stage, "stage"},
                                     {ViewKind::concat, "concat"},
                                     {ViewKind::arcs, "arcs"},
                                     {ViewKind::neurons, "neurons"},
                                     {ViewKind::layers, "layers"},
                                     {ViewKind::difference, "difference"},
                                     {ViewKind::sensitivity, "sensitivity"},
                                     {ViewKind::text, "text"},
                                     {ViewKind::explanation, "explanation"},
                                     {ViewKind::lens, "lens"},
                                     {ViewKind::attribution, "attribution"},
                                     {ViewKind::sweep, "sweep"},
                                     {ViewKind::scatter, "scatter"},
                                     {ViewKind::composition, "composition"},
                                     {ViewKind::score, "score"}};
constexpr Word<TextAlong> kAlongs[] = {{TextAlong::row, "row"}, {TextAlong::column, "column"}};
constexpr Word<HeadsCombined> kCombined[] = {{HeadsCombined::sum, "sum"}, {HeadsCombined::mean, "mean"}};

void set_stage(V& view, const std::string& text) {
  const auto stage = stage_named(text);
  if (!stage) refuse_value("stage", text, "a stage", "weights, scores, concat or another name of the stage list");
  view.stage = *stage;
}

std::string color_maps_text(const char* separator) {
  std::vector<std::string_view> names;
  for (const ColorMap map : all_color_maps()) names.push_back(color_map_name(map));
  return fmt::format("{}", fmt::join(names, separator));
}

void set_colormap(V& view, const std::string& text) {
  const auto map = color_map_named(text);
  if (!map && text != "auto") refuse_value("colormap", text, "a colour map", color_maps_text(", ") + ", or auto");
  view.colormap = map;
}

std::string range_text(const V& view) {
  if (view.range == RangeKind::automatic) return "auto";
  if (view.range == RangeKind::row) return "row";
  if (view.range == RangeKind::fit) return "fit";
  // Plain decimals for usual sizes: "0.0001,1", not "1e-04,1".
  return fmt::format("{},{}", view.range_low, view.range_high);
}

void set_range(V& view, const std::string& text) {
  constexpr const char* expected = "auto, row, fit or LO,HI with LO below HI";
  if (text == "auto" || text == "row" || text == "fit") {
    view.range = text == "row" ? RangeKind::row : text == "fit" ? RangeKind::fit : RangeKind::automatic;
    view.range_low = V{}.range_low;
    view.range_high = V{}.range_high;
    return;
  }
  const std::vector<std::string> ends = parse_list("range", text, "a range", expected);
  if (ends.size() != 2) refuse_value("range", text, "a range", expected);
  const double low = parse_finite("range", ends[0], expected), high = parse_finite("range", ends[1], expected);
  if (!(low < high)) refuse_value("range", text, "a range", expected);
  view.range = RangeKind::fixed;
  view.range_low = low;
  view.range_high = high;
}

void set_scale(V& view, const std::string& text) {
  constexpr const char* expected = "a number above 0, at most 16";
  const double scale = parse_finite("scale", text, expected);
  if (!(scale > 0 && scale <= 16)) refuse_value("scale", text, "a scale", expected);
  view.scale = scale;
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::string heads_shown_text(const V& view) {
  if (!view.heads_shown) return "all";
  return view.heads_shown->empty() ? "none" : list_text(*view.heads_shown);
}

void set_heads_shown(V& view, const std::string& text) {
  if (text == "all") {
    view.heads_shown.reset();
    return;
  }
  std::vector<std::int64_t> heads;
  if (text != "none") {
    for (const std::string& part : parse_list("heads-shown", text, "heads", "all, none, or heads such as 0,2,6")) {
      heads.push_back(parse_whole("heads-shown", part, 0, kMostHeads));
    }
  }
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  view.heads_shown = std::move(heads);
}

void set_hide_below(V& view, const std::string& text) {
  constexpr const char* expected = "a weight, 0 to 1";
  const double weight = parse_finite("hide-below", text, expected);
  if (!(weight >= 0 && weight <= 1)) refuse_value("hide-below", text, "a weight", expected);
  view.hide_below = weight;
}

void set_sentences(V& view, const std::string& text) {
  const auto pair = sentence_pair_named(text);
  if (!pair) refuse_value("sentences", text, "a pair of sentences", "all, a-a, a-b, b-a or b-b");
  view.sentences = *pair;
}

std::string aggregate_text(const V& view) {
  return view.aggregate ? std::string(aggregate_name(*view.aggregate)) : "none";
}

void set_aggregate(V& view, const std::string& text) {
  const auto aggregate = aggregate_named(text);
  if (!aggregate && text != "none") {
    refuse_value("aggregate", text, "an aggregate", "none, mean, max, rollout or flow");
  }
  view.aggregate = aggregate;
}

void set_at(V& view, const std::string& text) {
  std::vector<std::int64_t> at;
  for (const std::string& part : parse_list("at", text, "a cell", "B,H,I,J, or B,I,J of a stage of three axes")) {
    at.push_back(parse_whole("at", part, 0, kMost));
  }
  view.at = std::move(at);
}

ViewOption flag(ViewOption option) {
  option.placeholder.clear();
  option.json = ViewOption::Json::flag;
  return option;
}

ViewOption of_session_files(ViewOption option) {
  option.on_command_line = false;
  return option;
}

}  // namespace

const std::vector<ViewOption>& view_options() {
  using Json = ViewOption::Json;
  static const std::vector<ViewOption> options = with_model_options(with_paper_options({
      word_option<"view", &V::view, kKinds, "a view">(
          "What the picture shows: all heads, one head, a stage, concat, lines from queries to keys, one query's "
          "features against those of every key, all layers and heads, another result less this one, what a cell "
          "depends on, attention on the text, where a number comes from, what a model would say after every layer, who "
          "made a logit, what becomes of a metric when parts take numbers of another run, a head's queries and keys as "
          "points, which heads read what earlier heads write (default heads)."),
      {"stage", "STAGE", "The tensor that is drawn (default weights).",
       [](const V& v) { return std::string(stage_name(v.stage)); }, set_stage},
      whole_option<"batch", &V::batch, 0, kMost>("B", "The batch item that is drawn (default 0).", false),
      whole_option<"head", &V::head, 0, kMost>("H",
                                               "The head of '--view head', neurons, sensitivity, text and scatter, and "
                                               "of stages that have one (default 0)."),
      {"colormap", color_maps_text("|"),
       "By default viridis for weights; icefire (dark, contrast) or coolwarm (light) for signed data.",
       [](const V& v) { return v.colormap ? std::string(color_map_name(*v.colormap)) : "auto"; }, set_colormap},
      {"range", "auto|row|fit|LO,HI",
       "The values at the two ends of the colour map: of all, of each row, of 98 in 100 (1st to 99th percentile), or "
       "given.",
       range_text, set_range},
      flag(word_option<"log", &V::log_scale, kSwitch>("Logarithmic colours.")),
      whole_option<"cell", &V::cell, 1, kMostPixels>(
          "PIXELS", "Width and height of a cell (default: the largest that fit the width)."),
      word_option<"labels", &V::labels, kSwitch>("Tokens along the axes (default on)."),
      of_session_files(word_option<"color-bar", &V::color_bar, kSwitch>("The colours and their values (default on).")),
      word_option<"theme", &V::theme, kThemeWords, "a theme">(
          "Colours of the picture; contrast is white on black for weak eyes (default dark)."),
      {"width", "N|Nmm", "Width of the picture in pixels, or on paper: 85mm, 8.5cm, 3.35in, 241pt.", width_text,
       set_width, Json::whole},
      {"scale", "S", "Multiplies fonts, lines and cells (default 1).", [](const V& v) { return double_text(v.scale); },
       set_scale, Json::real, false},
      token_option(),
      {"heads-shown", "all|none|H[,H]",
       "heads and arcs: the heads that are drawn; text: those whose weights shade it (default all).", heads_shown_text,
       set_heads_shown},
      {"hide-below", "W", "arcs: smaller weights are not drawn (default 0.05).",
       [](const V& v) { return double_text(v.hide_below); }, set_hide_below, Json::real},
      {"sentences", "all|a-a|a-b|b-a|b-b",
       "arcs: with a text of two parts, only links from one part to one part (default all).",
       [](const V& v) { return std::string(sentence_pair_name(v.sentences)); }, set_sentences},
      {"aggregate", "none|mean|max|rollout|flow",
       "layers: one map made of all heads instead of a map of each (default none).", aggregate_text, set_aggregate},
      {"at", "B,H,I,J",
       "sensitivity, explanation: the cell of --stage, in its own axes (B,I,J in a stage of three); attribution, "
       "sweep: the position; score: the query and the key, I,J.",
       [](const V& v) { return list_text(v.at); }, set_at},
      by_option(),
      word_option<"along", &V::along, kAlongs>(
          "text: the weights of the query --token on every key, or of every query on the key --token (default row)."),
      word_option<"combine", &V::combined, kCombined>(
          "text: what becomes of the weights of several heads (default sum)."),
  }));
  return options;
}

std::string_view view_kind_name(ViewKind kind) {
  for (const auto& word : kKinds) {
    if (word.value == kind) return word.text;
  }
  return "";
}

}  // namespace headscope

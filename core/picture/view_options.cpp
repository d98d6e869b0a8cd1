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
#include "core/picture/view_reach.h"
#include "core/request/option_text.h"
#include "core/request/option_words.h"
#include "core/request/stage_axes.h"
#include "core/request/stage_info.h"

namespace headscope {

namespace {

using V = ViewSpec;

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

const char* missing_for_stage(const V& view) {
  if (view.view == ViewKind::concat) return view.stage == StageId::concat ? nullptr : "concat, the stage of this view";
  return view.view == ViewKind::layers && view.aggregate ? "--aggregate none: one map of all heads is of weights"
                                                         : nullptr;
}

const char* missing_for_head(const V& view) {
  const bool of_stage =
      view.view == ViewKind::head || view.view == ViewKind::stage || view.view == ViewKind::difference;
  // A stage of three axes is drawn whole.
  const bool by_heads = stage_has_heads(view.stage) && stage_info(view.stage).axes.size() == 4;
  return of_stage && !by_heads ? "a --stage that has heads" : nullptr;
}

// The words of a text are not drawn in rows, and their range ends at the largest unless it is given.
const char* missing_for_range(const V& view) {
  const bool known = view.range == RangeKind::automatic || view.range == RangeKind::fixed;
  return view.view == ViewKind::text && !known ? "auto or LO,HI" : nullptr;
}

// Numbers on both sides of zero have no logarithm.
const char* missing_for_log(const V& view) {
  return view.view == ViewKind::difference && !is_weight_like(view.stage) ? "a --stage of weights" : nullptr;
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

// Where several options act: on views of cells in colours, with and without what is no grid of such cells.
constexpr ViewSet kOfCells{ViewKind::heads, ViewKind::head,        ViewKind::stage,  ViewKind::concat,
                           ViewKind::arcs,  ViewKind::neurons,     ViewKind::layers, ViewKind::difference,
                           ViewKind::lens,  ViewKind::sensitivity, ViewKind::sweep,  ViewKind::composition,
                           ViewKind::score};
constexpr ViewSet kOfLabels = kOfCells.with(ViewKind::scatter);
constexpr ViewSet kOfScales = kOfCells.without(ViewKind::arcs).without(ViewKind::neurons).with(ViewKind::text);
constexpr ViewReach kEverywhere{.views = ViewSet::all(), .on_pages = true};
constexpr ViewReach kOfColours{.views = kOfScales.with(ViewKind::neurons), .on_pages = true};
constexpr ViewReach kOfColourScales{.views = kOfScales, .missing = missing_for_log, .on_pages = true};
constexpr ViewReach kOfRanges{.views = kOfScales, .missing = missing_for_range, .on_pages = true};

}  // namespace

const std::vector<ViewOption>& view_options() {
  using Json = ViewOption::Json;
  static const std::vector<ViewOption> options = with_model_options(with_paper_options(with_part_options({
      on(kEverywhere,
         word_option<"view", &V::view, kKinds, "a view">(
             "What the picture shows: all heads, one head, a stage, concat, lines from queries to keys, one query's "
             "features against those of every key, all layers and heads, another result less this one, what a cell "
             "depends on, attention on the text, where a number comes from, what a model would say after every layer, "
             "who made a logit, what becomes of a metric when parts take numbers of another run, a head's queries and "
             "keys as points, which heads read what earlier heads write (default heads).")),
      on({.views = {ViewKind::heads, ViewKind::head, ViewKind::stage, ViewKind::concat, ViewKind::layers,
                    ViewKind::difference, ViewKind::sensitivity, ViewKind::explanation},
          .missing = missing_for_stage,
          .on_pages = true},
         {"stage", "STAGE", "The tensor that is drawn (default weights).",
          [](const V& v) { return std::string(stage_name(v.stage)); }, set_stage}),
      whole_option<"batch", &V::batch, 0, kMost>("B", "The batch item that is drawn (default 0).", false),
      on({.views = {ViewKind::head, ViewKind::stage, ViewKind::neurons, ViewKind::difference, ViewKind::sensitivity,
                    ViewKind::scatter, ViewKind::score},
          .missing = missing_for_head,
          .as_other = {ViewKind::arcs, ViewKind::text},
          .other = "heads-shown",
          .on_pages = true},
         whole_option<"head", &V::head, 0, kMost>(
             "H",
             "The head of '--view head', neurons, sensitivity, scatter and score, and of stages that have one (default "
             "0); of arcs and text the only one that is shown.")),
      on(kOfColours,
         {"colormap", color_maps_text("|"),
          "By default viridis for weights; icefire (dark, contrast) or coolwarm (light) for signed data.",
          [](const V& v) { return v.colormap ? std::string(color_map_name(*v.colormap)) : "auto"; }, set_colormap}),
      on(kOfRanges, {"range", "auto|row|fit|LO,HI",
                     "The values at the two ends of the colour map: of all, of each row, of 98 in 100 (1st to 99th "
                     "percentile), or given.",
                     range_text, set_range}),
      on(kOfColourScales, flag(word_option<"log", &V::log_scale, kSwitch>("Logarithmic colours."))),
      on({kOfCells}, whole_option<"cell", &V::cell, 1, kMostPixels>(
                         "PIXELS", "Width and height of a cell (default: the largest that fit the width).")),
      on({kOfLabels}, word_option<"labels", &V::labels, kSwitch>("Tokens along the axes (default on).")),
      of_session_files(word_option<"color-bar", &V::color_bar, kSwitch>("The colours and their values (default on).")),
      on(kEverywhere, word_option<"theme", &V::theme, kThemeWords, "a theme">(
                          "Colours of the picture; contrast is white on black for weak eyes (default dark).")),
      on({ViewSet::all()},
         {"width", "N|Nmm", "Width of the picture in pixels, or on paper: 85mm, 8.5cm, 3.35in, 241pt.", width_text,
          set_width, Json::whole}),
      {"scale", "S", "Multiplies fonts, lines and cells (default 1).", [](const V& v) { return double_text(v.scale); },
       set_scale, Json::real, false},
  })));
  return options;
}

const std::vector<ViewKind>& all_view_kinds() {
  static const std::vector<ViewKind> kinds = [] {
    std::vector<ViewKind> found;
    for (const auto& word : kKinds) found.push_back(word.value);
    return found;
  }();
  return kinds;
}

std::string_view view_kind_name(ViewKind kind) {
  for (const auto& word : kKinds) {
    if (word.value == kind) return word.text;
  }
  return "";
}

}  // namespace headscope

#include "app/cli/view_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "app/cli/stage_arguments.h"
#include "core/base/error.h"

namespace headscope::cli {

namespace {

constexpr int kMostPixels = 16384;

std::string color_map_list() {
  std::string names;
  for (const ColorMap map : all_color_maps()) {
    if (!names.empty()) names += '|';
    names += color_map_name(map);
  }
  return names;
}

void set_kind(ViewSpec& view, const std::string& text) {
  constexpr ViewKind kKinds[] = {ViewKind::heads,  ViewKind::head,       ViewKind::stage,
                                 ViewKind::concat, ViewKind::arcs,       ViewKind::neurons,
                                 ViewKind::layers, ViewKind::difference, ViewKind::sensitivity};
  view.view = kKinds[choice_of(
      "view", text, {"heads", "head", "stage", "concat", "arcs", "neurons", "layers", "difference", "sensitivity"})];
}

void set_range(ViewSpec& view, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (text == "auto") {
    view.range = RangeKind::automatic;
  } else if (text == "row") {
    view.range = RangeKind::row;
  } else if (comma == std::string::npos) {
    throw UsageError(fmt::format("--range: found '{}'; expected auto, row or LO,HI", text));
  } else {
    view.range = RangeKind::fixed;
    view.range_low = finite_number("range", text.substr(0, comma));
    view.range_high = finite_number("range", text.substr(comma + 1));
    if (!(view.range_low < view.range_high)) {
      throw UsageError(fmt::format("--range: found '{}'; expected LO,HI with LO below HI", text));
    }
  }
}

}  // namespace

OptionGroup view_group() {
  return {
      "VIEW",
      {{"view", "heads|head|stage|concat|arcs|neurons|layers|difference|sensitivity",
        "What the picture shows: all heads, one head, a stage, concat, lines from queries to keys, one query's "
        "features against those of every key, all layers and heads, another result less this one, what a cell "
        "depends on (default heads)."},
       {"aggregate", "none|mean|max|rollout|flow",
        "layers: one map made of all heads instead of a map of each (default none)."},
       {"against", "FILE",
        "difference: a session, or a picture, whose result is A; this request's is B, and A - B is drawn."},
       {"head", "H", "The head of '--view head', neurons and sensitivity, and of stages that have one (default 0)."},
       {"stage", "STAGE", "The tensor that is drawn (default weights)."},
       {"colormap", color_map_list(),
        "By default viridis for weights; icefire (dark) or coolwarm (light) for signed data."},
       {"range", "auto|row|LO,HI", "The values at the two ends of the colour map: of all, of each row, or given."},
       {"log", "", "Logarithmic colours."},
       {"cell", "PIXELS", "Width and height of a cell (default: the largest that fit the width)."},
       {"labels", "on|off", "Tokens along the axes (default on)."},
       {"theme", "dark|light", "Colours of the picture (default dark)."},
       {"width", "N", "Width of the picture in pixels."},
       {"token", "I", "arcs: the query that stands out; neurons: the query (default 0)."},
       {"heads-shown", "all|none|H[,H]", "arcs: the heads whose lines are drawn (default all)."},
       {"hide-below", "W", "arcs: smaller weights are not drawn (default 0.05)."},
       {"sentences", "all|a-a|a-b|b-a|b-b",
        "arcs: with a text of two parts, only links from one part to one part (default all)."},
       {"at", "B,H,I,J", "sensitivity: the cell of --stage, in its own axes (B,I,J in a stage of three)."},
       {"by", "weights|scores",
        "sensitivity: what the cell is derived by (default scores for stages of queries and keys, else weights)."}}};
}

ViewSpec given_view(const Arguments& given, ViewSpec view) {
  if (given.has("view")) set_kind(view, given.get("view"));
  if (given.has("against") && !given.has("view")) view.view = ViewKind::difference;
  const bool of_any_stage = view.view == ViewKind::difference || view.view == ViewKind::sensitivity;
  if (given.has("stage")) {
    view.stage = stage_from("stage", given.get("stage"));
    if (!given.has("view") && !is_score_like(view.stage) && !of_any_stage) {
      view.view = view.stage == StageId::concat ? ViewKind::concat : ViewKind::stage;
    }
  }
  if (given.has("head")) {
    view.head = whole_number("head", given.get("head"), 0, std::numeric_limits<std::int32_t>::max());
    if (!given.has("view") && view.view == ViewKind::heads) view.view = ViewKind::head;
  }
  if (given.has("colormap")) {
    const std::string name = given.get("colormap");
    view.colormap = color_map_named(name);
    if (!view.colormap) {
      throw UsageError(fmt::format("--colormap: found '{}'; expected {}", name, color_map_list()));
    }
  }
  if (given.has("range")) set_range(view, given.get("range"));
  if (given.has("log")) view.log_scale = true;
  if (given.has("cell")) view.cell = static_cast<int>(whole_number("cell", given.get("cell"), 1, 1024));
  if (given.has("labels")) view.labels = choice_of("labels", given.get("labels"), {"on", "off"}) == 0;
  if (given.has("theme")) {
    view.theme = choice_of("theme", given.get("theme"), {"dark", "light"}) == 0 ? Theme::dark : Theme::light;
  }
  if (given.has("aggregate")) {
    set_view_value(view, "aggregate", given.get("aggregate"));
    if (!given.has("view") && view.aggregate) view.view = ViewKind::layers;
  }
  if (given.has("width")) view.width = static_cast<int>(whole_number("width", given.get("width"), 1, kMostPixels));
  for (const char* option : {"token", "heads-shown", "hide-below", "sentences", "at", "by"}) {
    std::string key = option;
    std::replace(key.begin(), key.end(), '-', '_');
    if (given.has(option)) set_view_value(view, key, given.get(option));
  }
  return view;
}

}  // namespace headscope::cli

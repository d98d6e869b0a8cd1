#include "core/picture/view_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/io/json_text.h"
#include "core/request/option_text.h"

namespace headscope {

namespace {

constexpr std::array kKinds = {std::pair(ViewKind::heads, std::string_view("heads")),
                               std::pair(ViewKind::head, std::string_view("head")),
                               std::pair(ViewKind::stage, std::string_view("stage")),
                               std::pair(ViewKind::concat, std::string_view("concat")),
                               std::pair(ViewKind::arcs, std::string_view("arcs")),
                               std::pair(ViewKind::neurons, std::string_view("neurons")),
                               std::pair(ViewKind::layers, std::string_view("layers")),
                               std::pair(ViewKind::difference, std::string_view("difference")),
                               std::pair(ViewKind::sensitivity, std::string_view("sensitivity"))};
constexpr std::int64_t kMostPixels = 16384;  // of a picture's side
constexpr std::int64_t kMostHeads = 1 << 20;

std::string range_text(const ViewSpec& view) {
  if (view.range == RangeKind::row) return "row";
  return double_text(view.range_low) + "," + double_text(view.range_high);
}

void set_range(ViewSpec& view, const std::string& text) {
  constexpr const char* expected = "auto, row or LO,HI with LO below HI";
  if (text == "auto" || text == "row") {
    view.range = text == "row" ? RangeKind::row : RangeKind::automatic;
    view.range_low = ViewSpec{}.range_low;
    view.range_high = ViewSpec{}.range_high;
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

bool on_off(std::string_view key, const std::string& text) {
  if (text != "on" && text != "off") refuse_value(key, text, "a known value", "on or off");
  return text == "on";
}

int pixels(std::string_view key, const std::string& text) {
  return static_cast<int>(parse_whole(key, text, 1, kMostPixels));
}

void set_kind(ViewSpec& view, const std::string& text) {
  for (const auto& [kind, name] : kKinds) {
    if (text == name) {
      view.view = kind;
      return;
    }
  }
  refuse_value("view", text, "a view", "heads, head, stage, concat, arcs, neurons, layers, difference or sensitivity");
}

void set_stage(ViewSpec& view, const std::string& text) {
  const auto stage = stage_named(text);
  if (!stage) refuse_value("stage", text, "a stage", "weights, scores, concat or another name of the stage list");
  view.stage = *stage;
}

void set_aggregate(ViewSpec& view, const std::string& text) {
  view.aggregate.reset();
  if (text == "none") return;
  view.aggregate = aggregate_named(text);
  if (!view.aggregate) refuse_value("aggregate", text, "an aggregate", "none, mean, max, rollout or flow");
}

void set_colormap(ViewSpec& view, const std::string& text) {
  if (text == "auto") {
    view.colormap.reset();
    return;
  }
  const auto map = color_map_named(text);
  if (!map) {
    std::string names;
    for (const ColorMap each : all_color_maps()) names += fmt::format("{}, ", color_map_name(each));
    refuse_value("colormap", text, "a colour map", names + "or auto");
  }
  view.colormap = map;
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    if (!text.empty()) text += ',';
    text += std::to_string(number);
  }
  return text.empty() ? "none" : text;
}

void set_heads_shown(ViewSpec& view, const std::string& text) {
  view.heads_shown.reset();
  if (text == "all") return;
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

void set_hide_below(ViewSpec& view, const std::string& text) {
  constexpr const char* expected = "a weight, 0 to 1";
  const double weight = parse_finite("hide-below", text, expected);
  if (!(weight >= 0 && weight <= 1)) refuse_value("hide-below", text, "a weight", expected);
  view.hide_below = weight;
}

void set_sentences(ViewSpec& view, const std::string& text) {
  const auto pair = sentence_pair_named(text);
  if (!pair) refuse_value("sentences", text, "a pair of sentences", "all, a-a, a-b, b-a or b-b");
  view.sentences = *pair;
}

void set_at(ViewSpec& view, const std::string& text) {
  std::vector<std::int64_t> at;
  for (const std::string& part : parse_list("at", text, "a cell", "B,H,I,J, or B,I,J of a stage of three axes")) {
    at.push_back(parse_whole("at", part, 0, std::numeric_limits<std::int64_t>::max()));
  }
  view.at = std::move(at);
}

void set_by(ViewSpec& view, const std::string& text) {
  if (text != "weights" && text != "scores") refuse_value("by", text, "a known value", "weights or scores");
  view.by = text == "weights" ? SensitivityBy::weights : SensitivityBy::scores;
}

}  // namespace

bool has_weight_colors(ViewKind kind, StageId stage) {
  return is_weight_like(stage) && kind != ViewKind::difference && kind != ViewKind::sensitivity;
}

SensitivityBy usual_by(StageId stage) {
  return is_score_like(stage) ? SensitivityBy::scores : SensitivityBy::weights;
}

std::string_view sensitivity_by_name(SensitivityBy by) {
  return by == SensitivityBy::weights ? "weights" : "scores";
}

std::string_view view_kind_name(ViewKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  return "";
}

std::string view_json(const ViewSpec& view) {
  const ViewSpec usual;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (view.view != usual.view) json["view"] = view_kind_name(view.view);
  if (view.stage != usual.stage) json["stage"] = stage_name(view.stage);
  if (view.batch != usual.batch) json["batch"] = view.batch;
  if (view.head != usual.head) json["head"] = view.head;
  if (view.colormap) json["colormap"] = color_map_name(*view.colormap);
  if (view.range != usual.range) json["range"] = range_text(view);
  if (view.log_scale) json["log"] = true;
  if (view.cell) json["cell"] = *view.cell;
  if (!view.labels) json["labels"] = "off";
  if (!view.color_bar) json["color_bar"] = "off";
  if (view.theme != usual.theme) json["theme"] = "light";
  if (view.width) json["width"] = *view.width;
  if (view.scale != usual.scale) json["scale"] = view.scale;
  if (view.token) json["token"] = *view.token;
  if (view.heads_shown) json["heads_shown"] = list_text(*view.heads_shown);
  if (view.hide_below != usual.hide_below) json["hide_below"] = view.hide_below;
  if (view.sentences != usual.sentences) json["sentences"] = sentence_pair_name(view.sentences);
  if (view.aggregate) json["aggregate"] = aggregate_name(*view.aggregate);
  if (!view.at.empty()) json["at"] = list_text(view.at);
  if (view.by) json["by"] = sensitivity_by_name(*view.by);
  return json_dump(json);
}

bool set_view_value(ViewSpec& view, std::string_view key, const std::string& text) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (key == "view") {
    set_kind(view, text);
  } else if (key == "stage") {
    set_stage(view, text);
  } else if (key == "batch") {
    view.batch = parse_whole(key, text, 0, most);
  } else if (key == "head") {
    view.head = parse_whole(key, text, 0, most);
  } else if (key == "colormap") {
    set_colormap(view, text);
  } else if (key == "range") {
    set_range(view, text);
  } else if (key == "log") {
    view.log_scale = on_off(key, text);
  } else if (key == "cell") {
    view.cell = pixels(key, text);
  } else if (key == "labels") {
    view.labels = on_off(key, text);
  } else if (key == "color_bar") {
    view.color_bar = on_off(key, text);
  } else if (key == "theme") {
    if (text != "dark" && text != "light") refuse_value(key, text, "a theme", "dark or light");
    view.theme = text == "light" ? Theme::light : Theme::dark;
  } else if (key == "token") {
    view.token = parse_whole(key, text, 0, most);
  } else if (key == "heads_shown") {
    set_heads_shown(view, text);
  } else if (key == "hide_below") {
    set_hide_below(view, text);
  } else if (key == "sentences") {
    set_sentences(view, text);
  } else if (key == "width") {
    view.width = pixels(key, text);
  } else if (key == "aggregate") {
    set_aggregate(view, text);
  } else if (key == "at") {
    set_at(view, text);
  } else if (key == "by") {
    set_by(view, text);
  } else if (key == "scale") {
    constexpr const char* expected = "a number above 0, at most 16";
    const double scale = parse_finite(key, text, expected);
    if (!(scale > 0 && scale <= 16)) refuse_value(key, text, "a scale", expected);
    view.scale = scale;
  } else {
    return false;
  }
  return true;
}

}  // namespace headscope

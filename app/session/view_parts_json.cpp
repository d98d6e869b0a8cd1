#include "app/session/view_parts_json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/main_view.h"
#include "core/compare/variant_run.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using nlohmann::json;

const std::vector<std::string> kBugLabShows = {"right", "wrong", "side_by_side"};
const std::vector<std::string> kFormats = {"float32", "float16", "bfloat16"};  // of NumberType
constexpr double kLargestFilter = 1e6;

std::optional<HeadMetric> metric_from(const JsonReader& reader, const char* key) {
  std::string name;
  reader.read(key, name);
  if (name.empty()) return std::nullopt;
  const std::optional<HeadMetric> metric = metric_of_key(name);
  if (!metric) refuse_json(key, "the name of a metric");
  return metric;
}

}  // namespace

json layers_json(const LayersView& layers) {
  return {{"layer", layers.layer},
          {"aggregate", layers.aggregate ? aggregate_name(*layers.aggregate) : ""},
          {"sort", layers.sort ? metric_key(*layers.sort) : ""},
          {"filter", layers.filter ? metric_key(*layers.filter) : ""},
          {"filter_below", layers.filter_below},
          {"filter_value", layers.filter_value},
          {"norms", layers.norms},
          {"hide_special", layers.tokens.hide_special},
          {"hide_first", layers.tokens.hide_first},
          {"renormalize", layers.tokens.renormalize},
          {"merge_words", layers.tokens.merge_words}};
}

LayersView layers_from(const JsonReader& outer) {
  LayersView layers;
  const json* object = outer.find("layers");
  if (object == nullptr) return layers;
  const JsonReader reader(object->dump());
  reader.read("layer", layers.layer, -1, kMostIndex);
  std::string aggregate;
  reader.read("aggregate", aggregate);
  layers.aggregate = aggregate_named(aggregate);
  if (!aggregate.empty() && !layers.aggregate) refuse_json("aggregate", "the name of an aggregate");
  layers.sort = metric_from(reader, "sort");
  layers.filter = metric_from(reader, "filter");
  reader.read("filter_below", layers.filter_below);
  reader.read("filter_value", layers.filter_value, -kLargestFilter, kLargestFilter);
  reader.read("norms", layers.norms);
  reader.read("hide_special", layers.tokens.hide_special);
  reader.read("hide_first", layers.tokens.hide_first);
  reader.read("renormalize", layers.tokens.renormalize);
  reader.read("merge_words", layers.tokens.merge_words);
  return layers;
}

json bug_lab_json(const BugLabView& lab) {
  return {{"variants", lab.variants},
          {"stage", stage_name(lab.stage)},
          {"shows", kBugLabShows[static_cast<std::size_t>(lab.shows)]},
          {"precision", lab.precision},
          {"format", kFormats[static_cast<std::size_t>(lab.format)]}};
}

BugLabView bug_lab_from(const JsonReader& outer) {
  BugLabView lab;
  const json* object = outer.find("bug_lab");
  if (object == nullptr) return lab;
  const JsonReader reader(object->dump());
  reader.read("variants", lab.variants);
  const auto& known = variant_names();
  for (const std::string& name : lab.variants) {
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse_json("variants", "names of variants");
  }
  if (lab.variants.size() > 2) lab.variants.resize(2);
  lab.stage = reader.read_stage("stage", lab.stage);
  lab.shows = static_cast<BugLabView::Shows>(reader.read_choice("shows", kBugLabShows, static_cast<int>(lab.shows)));
  reader.read("precision", lab.precision);
  lab.format = static_cast<NumberType>(reader.read_choice("format", kFormats, static_cast<int>(lab.format)));
  return lab;
}

}  // namespace headscope

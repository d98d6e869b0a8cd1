// Long because every view has its two functions here, one to write and one to read.
#include "app/session/view_parts_json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/main_view.h"
#include "app/session/settings_values.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/compare/precision_format.h"
#include "core/compare/variant_run.h"
#include "core/corpus/head_points.h"
#include "core/request/option_text.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using nlohmann::json;

const std::vector<std::string> kBugLabShows = {"right", "wrong", "side_by_side"};
const std::vector<std::string> kAlongs = {"row", "column"}, kCombined = {"sum", "mean"};
const std::vector<std::string> kAttributionBy = {"components", "heads", "sources"};
const std::vector<std::string> kScoreBy = {"components", "heads"};
const std::vector<std::string> kCircuitsShow = {"composition", "tokens", "vocabulary"};
const std::vector<std::string> kReads(std::begin(kCompositionNames), std::end(kCompositionNames));
const std::vector<std::string> kPatches(std::begin(kSweepPatchNames), std::end(kSweepPatchNames));
const std::vector<std::string> kNumbers = {"denoise", "noise", "zero", "mean"};  // of SweepNumbers
const std::vector<std::string> kEstimates(std::begin(kSweepEstimateNames), std::end(kSweepEstimateNames));
const std::vector<std::string> kLensOf(std::begin(kLensOfNames), std::end(kLensOfNames));
const std::vector<std::string> kMeasures = {"usual", "logit", "probability", "loss", "kl", "cell"};  // of SweepMeasure
const std::vector<std::string> kCorpusSides = {"head", "chosen", "tree", "points"},
                               kClustersOf = {"all", "chosen", "layer"};
const std::vector<std::string> kExamplesOf = {"strongest", "tenths"};
const std::vector<std::string> kPointColors = {"token", "position"};
const std::vector<std::string> kRounded(std::begin(kRoundedNames), std::end(kRoundedNames));
constexpr std::size_t kLongestMean = 256, kMostChosen = 1'000'000;
constexpr double kMostDistance = 2;  // of two heads: 1 - cosine
constexpr double kLargestFilter = 1e6, kLeastTemperature = 1e-3, kMostTemperature = 1e3;

// By the names of precision_formats(), in their order.
std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const PrecisionFormat& format : precision_formats()) names.emplace_back(format.name);
  return names;
}

std::optional<HeadMetric> metric_from(const JsonReader& reader, const char* key) {
  std::string name;
  reader.read(key, name);
  if (name.empty()) return std::nullopt;
  const std::optional<HeadMetric> metric = metric_of_key(name);
  if (!metric) refuse_json(key, "the name of a metric");
  return metric;
}

// At most `most` whole numbers from 0 up; empty without the key.
std::vector<std::int64_t> indices_from(const JsonReader& reader, const char* key, std::size_t most,
                                       const char* expected) {
  std::vector<std::int64_t> indices;
  const json* found = reader.find(key);
  if (found == nullptr) return indices;
  if (!found->is_array() || found->size() > most) refuse_json(key, expected);
  for (const json& item : *found) {
    if (!item.is_number_unsigned()) refuse_json(key, expected);
    indices.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(item.get<std::uint64_t>(), kMostIndex)));
  }
  return indices;
}

}  // namespace

json layers_json(const LayersView& layers) {
  return {{"layer", layers.layer},
          {"aggregate", layers.aggregate ? aggregate_name(*layers.aggregate) : ""},
          {"sort", layers.sort ? metric_key(*layers.sort) : ""},
          {"filter", layers.filter ? metric_key(*layers.filter) : ""},
          {"filter_below", layers.filter_below},
          {"filter_value", layers.filter_value},
          {"norms", layers.norms}};
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
  return layers;
}

json bug_lab_json(const BugLabView& lab) {
  const PrecisionFormat* format = find_precision_format(lab.format);
  return {{"variants", lab.variants},
          {"stage", stage_name(lab.stage)},
          {"shows", kBugLabShows[static_cast<std::size_t>(lab.shows)]},
          {"precision", lab.precision},
          {"format", format == nullptr ? "float16" : format->name},
          {"rounded", kRoundedNames[static_cast<std::size_t>(lab.rounded)]}};
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
  const int float16 = static_cast<int>(find_precision_format("f16") - precision_formats().data());
  const int format = reader.read_choice("format", format_names(), float16);
  lab.format = precision_formats()[static_cast<std::size_t>(format)].option;
  lab.rounded = static_cast<Rounded>(reader.read_choice("rounded", kRounded, static_cast<int>(lab.rounded)));
  return lab;
}

json panel_layout_json(const PanelLayout& layout) {
  return {{"request_width", layout.request_width},           {"inspector_width", layout.inspector_width},
          {"concat_height", layout.concat_height},           {"request_collapsed", layout.request_collapsed},
          {"concat_collapsed", layout.concat_collapsed},     {"inspector_collapsed", layout.inspector_collapsed},
          {"pipeline_collapsed", layout.pipeline_collapsed}, {"views_grouped", layout.views_grouped}};
}

PanelLayout panel_layout_from(const JsonReader& object, bool views_grouped) {
  PanelLayout layout;
  object.read("request_width", layout.request_width, 120.0f, kLargestPanel);
  object.read("inspector_width", layout.inspector_width, 120.0f, kLargestPanel);
  object.read("concat_height", layout.concat_height, 40.0f, kLargestPanel);
  object.read("request_collapsed", layout.request_collapsed);
  object.read("concat_collapsed", layout.concat_collapsed);
  object.read("inspector_collapsed", layout.inspector_collapsed);
  object.read("pipeline_collapsed", layout.pipeline_collapsed);
  layout.views_grouped = views_grouped;
  object.read("views_grouped", layout.views_grouped);
  return layout;
}

std::optional<std::vector<std::int64_t>> heads_from(const JsonReader& reader, const char* key) {
  const json* found = reader.find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_array()) refuse_json(key, "a list of heads");
  std::vector<std::int64_t> heads;
  for (const json& item : *found) {
    if (!item.is_number_unsigned()) refuse_json(key, "a list of heads");
    heads.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(item.get<std::uint64_t>(), kMostIndex)));
  }
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  return heads;
}

json text_json(const TextView& text) {
  json object = {{"along", kAlongs[static_cast<std::size_t>(text.along)]},
                 {"combined", kCombined[static_cast<std::size_t>(text.combined)]}};
  if (text.heads) object["heads"] = *text.heads;
  return object;
}

TextView text_from(const JsonReader& outer) {
  TextView text;
  const json* object = outer.find("text");
  if (object == nullptr) return text;
  const JsonReader reader(object->dump());
  text.along = static_cast<TextAlong>(reader.read_choice("along", kAlongs, static_cast<int>(text.along)));
  text.combined =
      static_cast<HeadsCombined>(reader.read_choice("combined", kCombined, static_cast<int>(text.combined)));
  text.heads = heads_from(reader, "heads");
  return text;
}

json sweep_json(const SweepView& sweep) {
  json object = {{"patch", kPatches[static_cast<std::size_t>(sweep.patch)]},
                 {"direction", kNumbers[static_cast<std::size_t>(sweep.numbers)]},
                 {"into", sweep.into},
                 {"end", {sweep.end.layer, sweep.end.head}},
                 {"estimate", kEstimates[static_cast<std::size_t>(sweep.estimate)]},
                 {"measure", kMeasures[static_cast<std::size_t>(sweep.measure)]},
                 {"tokens", sweep.tokens},
                 {"number", sweep.number}};
  // JSON has no text but UTF-8; a path in another encoding cannot be remembered.
  if (!sweep.list.empty() && is_valid_utf8(sweep.list)) object["list"] = sweep.list;
  if (sweep.cell) object["cell"] = {sweep.cell->row, sweep.cell->column};
  return object;
}

SweepView sweep_from(const JsonReader& outer) {
  SweepView sweep;
  const json* object = outer.find("sweep");
  if (object == nullptr) return sweep;
  const JsonReader reader(object->dump());
  sweep.patch = static_cast<SweepPatch>(reader.read_choice("patch", kPatches, static_cast<int>(sweep.patch)));
  sweep.numbers = static_cast<SweepNumbers>(reader.read_choice("direction", kNumbers, static_cast<int>(sweep.numbers)));
  reader.read("into", sweep.into);
  const std::vector<std::int64_t> end = indices_from(reader, "end", 2, "a layer and a head");
  if (end.size() == 2) sweep.end = {end[0], end[1]};
  sweep.estimate =
      static_cast<SweepEstimate>(reader.read_choice("estimate", kEstimates, static_cast<int>(sweep.estimate)));
  sweep.measure = static_cast<SweepMeasure>(reader.read_choice("measure", kMeasures, static_cast<int>(sweep.measure)));
  reader.read("tokens", sweep.tokens);
  reader.read("number", sweep.number);
  reader.read("list", sweep.list);
  const std::vector<std::int64_t> cell = indices_from(reader, "cell", 2, "a row and a column");
  if (cell.size() == 2) sweep.cell = Cell{cell[0], cell[1]};
  return sweep;
}

namespace {
const std::vector<std::string> kGradientsShows = {"looked-at", "looking", "maps"};
}  // namespace

json gradients_json(const GradientsView& gradients) {
  json object = {{"measure", kMeasures[static_cast<std::size_t>(gradients.measure)]},
                 {"tokens", gradients.tokens},
                 {"path", gradients.path},
                 {"steps", gradients.steps},
                 {"own_range", gradients.own_range},
                 {"show", kGradientsShows[static_cast<std::size_t>(gradients.show)]}};
  if (gradients.head) object["head"] = {gradients.head->layer, gradients.head->head};
  return object;
}

GradientsView gradients_from(const JsonReader& outer) {
  GradientsView gradients;
  const json* object = outer.find("gradients");
  if (object == nullptr) return gradients;
  const JsonReader reader(object->dump());
  gradients.measure =
      static_cast<SweepMeasure>(reader.read_choice("measure", kMeasures, static_cast<int>(gradients.measure)));
  // Of both there are none: the slope of kl is 0, that of a cell is a sensitivity.
  if (gradients.measure >= SweepMeasure::kl) gradients.measure = SweepMeasure::usual;
  reader.read("tokens", gradients.tokens);
  reader.read("path", gradients.path);
  reader.read("steps", gradients.steps, 1, kMostSteps);
  reader.read("own_range", gradients.own_range);
  gradients.show =
      static_cast<GradientsShow>(reader.read_choice("show", kGradientsShows, static_cast<int>(gradients.show)));
  const std::vector<std::int64_t> head = indices_from(reader, "head", 2, "a layer and a head");
  if (head.size() == 2) gradients.head = LayerHead{head[0], head[1]};
  return gradients;
}

json score_json(const ScoreView& score) {
  json object = {{"by", kAttributionBy[static_cast<std::size_t>(score.by)]}};
  if (score.pair) object["pair"] = {score.pair->row, score.pair->column};
  return object;
}

ScoreView score_from(const JsonReader& outer) {
  ScoreView score;
  const json* object = outer.find("score");
  if (object == nullptr) return score;
  const JsonReader reader(object->dump());
  score.by = static_cast<AttributionBy>(reader.read_choice("by", kScoreBy, static_cast<int>(score.by)));
  const std::vector<std::int64_t> pair = indices_from(reader, "pair", 2, "two places of writers");
  if (pair.size() == 2) score.pair = Cell{pair[0], pair[1]};
  return score;
}

json circuits_json(const CircuitsView& circuits) {
  json object = {{"show", kCircuitsShow[static_cast<std::size_t>(circuits.show)]},
                 {"reads", kReads[static_cast<std::size_t>(circuits.reads)]},
                 {"token", circuits.token},
                 {"tokens", circuits.tokens}};
  if (circuits.reader) object["reader"] = {circuits.reader->layer, circuits.reader->head};
  if (circuits.writer) object["writer"] = {circuits.writer->layer, circuits.writer->head};
  return object;
}

CircuitsView circuits_from(const JsonReader& outer) {
  CircuitsView circuits;
  const json* object = outer.find("circuits");
  if (object == nullptr) return circuits;
  const JsonReader reader(object->dump());
  circuits.show = static_cast<CircuitsShow>(reader.read_choice("show", kCircuitsShow, static_cast<int>(circuits.show)));
  circuits.reads = static_cast<CompositionKind>(reader.read_choice("reads", kReads, static_cast<int>(circuits.reads)));
  reader.read("token", circuits.token);
  reader.read("tokens", circuits.tokens);
  const auto head = [&](const char* key) -> std::optional<LayerHead> {
    const std::vector<std::int64_t> place = indices_from(reader, key, 2, "a layer and a head");
    if (place.size() != 2) return std::nullopt;
    return LayerHead{place[0], place[1]};
  };
  circuits.reader = head("reader");
  circuits.writer = head("writer");
  return circuits;
}

json scatter_json(const ScatterView& scatter) {
  return {{"queries", scatter.queries}, {"keys", scatter.keys}, {"names", scatter.names}};
}

ScatterView scatter_from(const JsonReader& outer) {
  ScatterView scatter;
  const json* object = outer.find("scatter");
  if (object == nullptr) return scatter;
  const JsonReader reader(object->dump());
  reader.read("queries", scatter.queries);
  reader.read("keys", scatter.keys);
  reader.read("names", scatter.names);
  return scatter;
}

namespace {

// [[layer, head], ...], sorted here.
std::vector<LayerHead> chosen_from(const JsonReader& reader) {
  constexpr const char* kExpected = "a list of heads, a layer and a head each";
  std::vector<LayerHead> chosen;
  const json* found = reader.find("chosen");
  if (found == nullptr) return chosen;
  if (!found->is_array() || found->size() > kMostChosen) refuse_json("chosen", kExpected);
  for (const json& head : *found) {
    const bool pair =
        head.is_array() && head.size() == 2 && head[0].is_number_unsigned() && head[1].is_number_unsigned();
    if (!pair || head[0] > kMostIndex || head[1] > kMostIndex) refuse_json("chosen", kExpected);
    chosen.push_back({head[0].get<std::int64_t>(), head[1].get<std::int64_t>()});
  }
  std::sort(chosen.begin(), chosen.end(), [](const LayerHead& a, const LayerHead& b) {
    return a.layer != b.layer ? a.layer < b.layer : a.head < b.head;
  });
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

namespace {

PointsView points_view_from(const JsonReader& outer) {
  PointsView points;
  const json* object = outer.find("points");
  if (object == nullptr) return points;
  const JsonReader reader(object->dump());
  reader.read("vectors", points.vectors);
  if (!vector_kind_named(points.vectors)) refuse_json("vectors", "query, key, value or output");
  const std::vector<std::int64_t> axes = indices_from(reader, "axes", 2, "two axes");
  if (axes.size() == 2) {
    constexpr auto kLast = static_cast<std::int64_t>(kReportedAxes) - 1;
    points.x = std::min(axes[0], kLast);
    points.y = std::min(axes[1], kLast);
  }
  points.color = static_cast<PointColor>(reader.read_choice("color", kPointColors, static_cast<int>(points.color)));
  reader.read("point", points.point, 0, kMostIndex);
  return points;
}

}  // namespace

json corpus_view_json(const CorpusView& corpus) {
  // JSON has no text but UTF-8; a path in another encoding cannot be remembered.
  const auto path = [](const std::string& name) { return is_valid_utf8(name) ? name : std::string(); };
  json object = {{"file", path(corpus.file)},
                 {"list", path(corpus.list)},
                 {"x", corpus.x},
                 {"y", corpus.y},
                 {"color", corpus.color},
                 {"grid", corpus.grid},
                 {"examples", kExamplesOf[static_cast<std::size_t>(corpus.examples)]},
                 {"example", corpus.example},
                 {"find", path(corpus.find)},
                 {"side", kCorpusSides[static_cast<std::size_t>(corpus.side)]},
                 {"clusters_of", kClustersOf[static_cast<std::size_t>(corpus.clusters_of)]},
                 {"cut", corpus.cut},
                 {"chosen", json::array()}};
  object["points"] = {{"vectors", corpus.points.vectors},
                      {"axes", {corpus.points.x, corpus.points.y}},
                      {"color", kPointColors[static_cast<std::size_t>(corpus.points.color)]},
                      {"point", corpus.points.point}};
  if (corpus.head) object["head"] = {corpus.head->row, corpus.head->column};
  for (const LayerHead& head : corpus.chosen) object["chosen"].push_back({head.layer, head.head});
  return object;
}

CorpusView corpus_view_from(const JsonReader& outer) {
  CorpusView corpus;
  const json* object = outer.find("corpus");
  if (object == nullptr) return corpus;
  const JsonReader reader(object->dump());
  reader.read("file", corpus.file);
  reader.read("list", corpus.list);
  for (const auto& [key, name] : {std::pair<const char*, std::string*>{"x", &corpus.x},
                                  {"y", &corpus.y},
                                  {"color", &corpus.color},
                                  {"grid", &corpus.grid}}) {
    reader.read(key, *name);
    // HeadVis's folder has names of its own; one that the open file lacks shows its first mean.
    if (name->empty() || name->size() > kLongestMean) refuse_json(key, "the name of a mean of heads");
  }
  corpus.examples =
      static_cast<ExamplesOf>(reader.read_choice("examples", kExamplesOf, static_cast<int>(corpus.examples)));
  reader.read("example", corpus.example, 0, kMostIndex);
  reader.read("find", corpus.find);
  corpus.side = static_cast<CorpusSide>(reader.read_choice("side", kCorpusSides, static_cast<int>(corpus.side)));
  corpus.clusters_of =
      static_cast<ClustersOf>(reader.read_choice("clusters_of", kClustersOf, static_cast<int>(corpus.clusters_of)));
  reader.read("cut", corpus.cut, 0, kMostDistance);
  corpus.chosen = chosen_from(reader);
  corpus.points = points_view_from(reader);
  const std::vector<std::int64_t> head = indices_from(reader, "head", 2, "a layer and a head");
  if (head.size() == 2) corpus.head = Cell{head[0], head[1]};
  return corpus;
}

json sampling_json(const Sampling& sampling) {
  return {{"sample", sampling_text(sampling)},
          {"temperature", sampling.temperature},
          {"seed", std::to_string(sampling.seed)}};
}

Sampling sampling_from(const JsonReader& outer) {
  Sampling sampling;
  const json* object = outer.find("sampling");
  if (object == nullptr) return sampling;
  const JsonReader reader(object->dump());
  std::string sample = sampling_text(sampling), seed = "0";
  reader.read("sample", sample);
  reader.read("seed", seed);
  reader.read("temperature", sampling.temperature, kLeastTemperature, kMostTemperature);
  try {
    set_sampling(sampling, sample);
    sampling.seed = parse_seed("seed", seed);
  } catch (const UsageError& error) {
    throw Error(error.what());
  }
  return sampling;
}

json lens_json(const LensView& lens) {
  json object = {
      {"layer", lens.layer}, {"position", lens.position}, {"by", kAttributionBy[static_cast<std::size_t>(lens.by)]}};
  if (lens.of != LensOf::layers) object["of"] = kLensOf[static_cast<std::size_t>(lens.of)];
  if (!lens.tokens.empty()) object["tokens"] = lens.tokens;
  if (lens.loss) object["loss"] = true;
  return object;
}

LensView lens_from(const JsonReader& outer) {
  LensView lens;
  const json* object = outer.find("lens");
  if (object == nullptr) return lens;
  const JsonReader reader(object->dump());
  reader.read("layer", lens.layer, LensView::kLastLayer, kMostIndex);
  reader.read("position", lens.position, -1, kMostIndex);
  lens.by = static_cast<AttributionBy>(reader.read_choice("by", kAttributionBy, static_cast<int>(lens.by)));
  lens.of = static_cast<LensOf>(reader.read_choice("of", kLensOf, static_cast<int>(lens.of)));
  lens.tokens = indices_from(reader, "tokens", 2, "a list of at most two token ids");
  reader.read("loss", lens.loss);
  return lens;
}

}  // namespace headscope

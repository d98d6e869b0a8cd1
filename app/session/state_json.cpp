#include "app/session/state_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/session/main_view.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/compare/variant_run.h"

namespace headscope {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const char* key, const char* expected) {
  throw Error(std::string("'") + key + "' is not " + expected);
}

// Reads the keys of one object; a key that is missing leaves its field alone.
class Reader {
 public:
  explicit Reader(const std::string& text) {
    try {
      object_ = json::parse(text);
    } catch (const json::exception&) {
      throw Error("it is not valid JSON");
    }
    if (!object_.is_object()) throw Error("it is not a JSON object");
  }

  void read(const char* key, bool& value) const {
    const json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) refuse(key, "true or false");
    value = found->get<bool>();
  }
  void read(const char* key, double& value, double low, double high) const {
    const json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_number()) refuse(key, "a number");
    value = std::clamp(found->get<double>(), low, high);
  }
  void read(const char* key, float& value, float low, float high) const {
    double wide = static_cast<double>(value);
    read(key, wide, static_cast<double>(low), static_cast<double>(high));
    value = static_cast<float>(wide);
  }
  void read(const char* key, std::int64_t& value, std::int64_t low, std::int64_t high) const {
    double wide = static_cast<double>(value);
    read(key, wide, static_cast<double>(low), static_cast<double>(high));
    value = static_cast<std::int64_t>(std::llround(wide));
  }
  void read(const char* key, int& value, int low, int high) const {
    std::int64_t wide = value;
    read(key, wide, std::int64_t{low}, std::int64_t{high});
    value = static_cast<int>(wide);
  }
  void read(const char* key, std::string& value) const {
    const json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_string()) refuse(key, "a text");
    value = found->get<std::string>();
  }
  void read(const char* key, std::vector<std::string>& value) const {
    const json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array()) refuse(key, "a list of texts");
    value.clear();
    for (const json& item : *found) {
      if (!item.is_string()) refuse(key, "a list of texts");
      value.push_back(item.get<std::string>());
    }
  }
  // One of `names`, as the index; an unknown name is refused.
  int read_choice(const char* key, const std::vector<std::string>& names, int value) const {
    std::string name = names[static_cast<std::size_t>(value)];
    read(key, name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) refuse(key, "a known name");
    return static_cast<int>(found - names.begin());
  }
  const json* find(const char* key) const {
    const auto found = object_.find(key);
    // A number that is not finite was written as null.
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

 private:
  json object_;
};

const std::vector<std::string> kThemes = {"dark", "light"};
const std::vector<std::string> kRanges = {"auto", "row", "fixed"};
const std::vector<std::string> kPoolings = {"max", "mean"};
const std::vector<std::string> kHeadsShow = {"grid", "arcs", "neurons"};
const std::vector<std::string> kSentences = {"all", "a-a", "a-b", "b-a", "b-b"};
const std::vector<std::string> kConcatShows = {"concat", "output", "both"};
const std::vector<std::string> kMainViews = [] {
  std::vector<std::string> words;
  for (const MainViewWord& row : kMainViewWords) words.emplace_back(row.word);
  return words;
}();
const std::vector<std::string> kBugLabShows = {"right", "wrong", "side_by_side"};
const std::vector<std::string> kFormats = {"float32", "float16", "bfloat16"};  // of NumberType
const std::vector<std::string> kSensitivityBy = {"weights", "scores"};
constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;
constexpr double kLargestFilter = 1e6;

StageId stage_from(const Reader& reader, const char* key, StageId value) {
  std::string name{stage_name(value)};
  reader.read(key, name);
  const std::optional<StageId> stage = stage_named(name);
  if (!stage) refuse(key, "the name of a stage");
  return *stage;
}

std::optional<ColorMap> map_from(const Reader& reader, const char* key) {
  std::string name;
  reader.read(key, name);
  if (name.empty()) return std::nullopt;
  const std::optional<ColorMap> map = color_map_named(name);
  if (!map) refuse(key, "the name of a colour map");
  return map;
}

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

std::optional<HeadMetric> metric_from(const Reader& reader, const char* key) {
  std::string name;
  reader.read(key, name);
  if (name.empty()) return std::nullopt;
  const std::optional<HeadMetric> metric = metric_of_key(name);
  if (!metric) refuse(key, "the name of a metric");
  return metric;
}

LayersView layers_from(const Reader& outer) {
  LayersView layers;
  const json* object = outer.find("layers");
  if (object == nullptr) return layers;
  const Reader reader(object->dump());
  reader.read("layer", layers.layer, -1, kMostIndex);
  std::string aggregate;
  reader.read("aggregate", aggregate);
  layers.aggregate = aggregate_named(aggregate);
  if (!aggregate.empty() && !layers.aggregate) refuse("aggregate", "the name of an aggregate");
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

BugLabView bug_lab_from(const Reader& outer) {
  BugLabView lab;
  const json* object = outer.find("bug_lab");
  if (object == nullptr) return lab;
  const Reader reader(object->dump());
  reader.read("variants", lab.variants);
  const auto& known = variant_names();
  for (const std::string& name : lab.variants) {
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse("variants", "names of variants");
  }
  if (lab.variants.size() > 2) lab.variants.resize(2);
  lab.stage = stage_from(reader, "stage", lab.stage);
  lab.shows = static_cast<BugLabView::Shows>(reader.read_choice("shows", kBugLabShows, static_cast<int>(lab.shows)));
  reader.read("precision", lab.precision);
  lab.format = static_cast<NumberType>(reader.read_choice("format", kFormats, static_cast<int>(lab.format)));
  return lab;
}

json viewport_json(const Viewport& viewport) {
  return json::array({viewport.row0, viewport.column0, viewport.rows, viewport.columns});
}

Viewport viewport_from(const Reader& reader, const char* key) {
  const json* found = reader.find(key);
  if (found == nullptr) return {};
  if (!found->is_array() || found->size() != 4) refuse(key, "a list of four numbers");
  for (const json& item : *found) {
    if (item.is_null()) return {};
    if (!item.is_number()) refuse(key, "a list of four numbers");
  }
  return {(*found)[0].get<double>(), (*found)[1].get<double>(), (*found)[2].get<double>(), (*found)[3].get<double>()};
}

std::optional<std::vector<std::int64_t>> heads_from(const Reader& reader, const char* key) {
  const json* found = reader.find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_array()) refuse(key, "a list of heads");
  std::vector<std::int64_t> heads;
  for (const json& item : *found) {
    if (!item.is_number_unsigned()) refuse(key, "a list of heads");
    heads.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(item.get<std::uint64_t>(), kMostIndex)));
  }
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  return heads;
}

// JSON has no text but UTF-8; a path in another encoding cannot be remembered.
std::vector<std::string> valid_utf8(std::vector<std::string> texts) {
  std::erase_if(texts, [](const std::string& text) { return !is_valid_utf8(text); });
  return texts;
}

std::string valid_utf8(const std::string& text) {
  return is_valid_utf8(text) ? text : std::string();
}

}  // namespace

std::string settings_json(const Settings& s) {
  const json object = {{"theme", kThemes[static_cast<std::size_t>(s.theme)]},
                       {"ui_scale", s.ui_scale},
                       {"recent_files", valid_utf8(s.recent_files)},
                       {"export_folder", valid_utf8(s.export_folder)},
                       {"open_folder", valid_utf8(s.open_folder)},
                       {"export_format", valid_utf8(s.export_format)},
                       {"export_scale", s.export_scale},
                       {"window_width", s.window_width},
                       {"window_height", s.window_height},
                       {"native_dialogs", valid_utf8(s.native_dialogs)},
                       {"stage_memory_mib", s.stage_memory_mib},
                       {"language", valid_utf8(s.language)},
                       {"tour_step", s.tour_step}};
  return object.dump(2) + "\n";
}

Settings parse_settings(const std::string& text) {
  const Reader reader(text);
  Settings s;
  s.theme = static_cast<Theme>(reader.read_choice("theme", kThemes, static_cast<int>(s.theme)));
  reader.read("ui_scale", s.ui_scale, 0.5, 4.0);
  reader.read("recent_files", s.recent_files);
  if (s.recent_files.size() > kMostRecentFiles) s.recent_files.resize(kMostRecentFiles);
  reader.read("export_folder", s.export_folder);
  reader.read("open_folder", s.open_folder);
  reader.read("export_format", s.export_format);
  reader.read("export_scale", s.export_scale, 0.5, 16.0);
  reader.read("window_width", s.window_width, 320, 16384);
  reader.read("window_height", s.window_height, 240, 16384);
  reader.read("stage_memory_mib", s.stage_memory_mib, 16, 1 << 20);
  reader.read("language", s.language);
  reader.read("tour_step", s.tour_step, 0, kMostTourSteps);
  const std::vector<std::string> dialogs = {"auto", "never"};
  s.native_dialogs = dialogs[static_cast<std::size_t>(reader.read_choice("native_dialogs", dialogs, 0))];
  return s;
}

std::string view_state_json(const ViewState& v) {
  json object = {{"stage", stage_name(v.stage)},
                 {"quantity", stage_name(v.quantity)},
                 {"batch", v.batch},
                 {"head", v.head},
                 {"range", kRanges[static_cast<std::size_t>(v.range)]},
                 {"range_per_head", v.range_per_head},
                 {"range_fixed", v.range_fixed},
                 {"log_scale", v.log_scale},
                 {"pooling", pooling_name(v.pooling)},
                 {"main_view", main_view_word(v.main_view)},
                 {"concat_shows", kConcatShows[static_cast<std::size_t>(v.concat_shows)]},
                 {"heads_show", kHeadsShow[static_cast<std::size_t>(v.heads_show)]},
                 {"arcs_hide_below", v.arcs_hide_below},
                 {"arcs_sentences", kSentences[static_cast<std::size_t>(v.arcs_sentences)]},
                 {"viewport", viewport_json(v.viewport)},
                 {"stage_viewport", viewport_json(v.stage_viewport)},
                 {"request_width", v.request_width},
                 {"inspector_width", v.inspector_width},
                 {"concat_height", v.concat_height},
                 {"request_collapsed", v.request_collapsed},
                 {"concat_collapsed", v.concat_collapsed},
                 {"inspector_collapsed", v.inspector_collapsed},
                 {"pipeline_collapsed", v.pipeline_collapsed},
                 {"request_opened_by_hand", v.request_opened_by_hand},
                 {"layers", layers_json(v.layers)},
                 {"bug_lab", bug_lab_json(v.bug_lab)},
                 {"weight_tensor", v.weights.tensor}};
  // JSON has no infinity; a range that holds one is left at its default.
  if (std::isfinite(v.range_low) && std::isfinite(v.range_high)) {
    object["range_low"] = v.range_low;
    object["range_high"] = v.range_high;
  }
  if (v.sensitivity_by) object["sensitivity_by"] = sensitivity_by_name(*v.sensitivity_by);
  if (v.arcs_heads) object["arcs_heads"] = *v.arcs_heads;
  if (v.cell) object["cell"] = {v.cell->row, v.cell->column};
  if (v.weight_map) object["weight_map"] = color_map_name(*v.weight_map);
  if (v.signed_map) object["signed_map"] = color_map_name(*v.signed_map);
  return object.dump(2) + "\n";
}

ViewState parse_view_state(const std::string& text) {
  const Reader reader(text);
  constexpr double kAny = std::numeric_limits<double>::max();
  ViewState v;
  v.stage = stage_from(reader, "stage", v.stage);
  v.quantity = stage_from(reader, "quantity", v.quantity);
  if (!is_score_like(v.quantity)) v.quantity = StageId::weights;
  reader.read("batch", v.batch, 0, kMostIndex);
  reader.read("head", v.head, 0, kMostIndex);
  v.range = static_cast<RangeKind>(reader.read_choice("range", kRanges, static_cast<int>(v.range)));
  reader.read("range_per_head", v.range_per_head);
  reader.read("range_fixed", v.range_fixed);
  reader.read("range_low", v.range_low, -kAny, kAny);
  reader.read("range_high", v.range_high, -kAny, kAny);
  reader.read("log_scale", v.log_scale);
  v.pooling = static_cast<Pooling>(reader.read_choice("pooling", kPoolings, static_cast<int>(v.pooling)));
  v.main_view = static_cast<MainView>(reader.read_choice("main_view", kMainViews, static_cast<int>(v.main_view)));
  v.concat_shows =
      static_cast<ConcatShows>(reader.read_choice("concat_shows", kConcatShows, static_cast<int>(v.concat_shows)));
  v.heads_show = static_cast<HeadsShow>(reader.read_choice("heads_show", kHeadsShow, static_cast<int>(v.heads_show)));
  reader.read("arcs_hide_below", v.arcs_hide_below, 0.0, 1.0);
  v.arcs_sentences =
      static_cast<SentencePair>(reader.read_choice("arcs_sentences", kSentences, static_cast<int>(v.arcs_sentences)));
  v.arcs_heads = heads_from(reader, "arcs_heads");
  v.viewport = viewport_from(reader, "viewport");
  v.stage_viewport = viewport_from(reader, "stage_viewport");
  reader.read("request_width", v.request_width, 120.0f, 4000.0f);
  reader.read("inspector_width", v.inspector_width, 120.0f, 4000.0f);
  reader.read("concat_height", v.concat_height, 40.0f, 4000.0f);
  reader.read("request_collapsed", v.request_collapsed);
  reader.read("concat_collapsed", v.concat_collapsed);
  reader.read("inspector_collapsed", v.inspector_collapsed);
  reader.read("pipeline_collapsed", v.pipeline_collapsed);
  reader.read("request_opened_by_hand", v.request_opened_by_hand);
  v.layers = layers_from(reader);
  v.bug_lab = bug_lab_from(reader);
  reader.read("weight_tensor", v.weights.tensor);
  if (reader.find("sensitivity_by") != nullptr) {
    v.sensitivity_by = static_cast<SensitivityBy>(reader.read_choice("sensitivity_by", kSensitivityBy, 0));
  }
  v.weight_map = map_from(reader, "weight_map");
  v.signed_map = map_from(reader, "signed_map");
  if (const json* cell = reader.find("cell"); cell != nullptr) {
    if (!cell->is_array() || cell->size() != 2 || !(*cell)[0].is_number() || !(*cell)[1].is_number()) {
      refuse("cell", "a list of two numbers");
    }
    const auto index = [](const json& value) {
      return static_cast<std::int64_t>(std::clamp(value.get<double>(), 0.0, static_cast<double>(kMostIndex)));
    };
    v.cell = Cell{index((*cell)[0]), index((*cell)[1])};
  }
  return v;
}

}  // namespace headscope

#include "app/session/state_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/session/json_reader.h"
#include "app/session/lesson_json.h"
#include "app/session/main_view.h"
#include "app/session/panel_layout.h"
#include "app/session/settings_values.h"
#include "app/session/view_parts_json.h"
#include "core/base/utf8.h"
#include "core/picture/theme_words.h"

namespace headscope {

namespace {

using nlohmann::json;

const std::vector<std::string> kThemes = theme_names();
const std::vector<std::string> kRanges = {"auto", "row", "fixed", "fit"};
const std::vector<std::string> kPoolings = {"max", "mean"};
const std::vector<std::string> kHeadsShow = {"one", "grid", "arcs", "neurons"};
const std::vector<std::string> kSentences = {"all", "a-a", "a-b", "b-a", "b-b"};
const std::vector<std::string> kConcatShows = {"concat", "output", "both"};
const std::vector<std::string> kMainViews = [] {
  std::vector<std::string> words;
  for (const MainViewWord& row : kMainViewWords) words.emplace_back(row.word);
  return words;
}();
const std::vector<std::string> kSensitivityBy = {"weights", "scores"};

std::optional<ColorMap> map_from(const JsonReader& reader, const char* key) {
  std::string name;
  reader.read(key, name);
  if (name.empty()) return std::nullopt;
  const std::optional<ColorMap> map = color_map_named(name);
  if (!map) refuse_json(key, "the name of a colour map");
  return map;
}

json viewport_json(const Viewport& viewport) {
  return json::array({viewport.row0, viewport.column0, viewport.rows, viewport.columns});
}

Viewport viewport_from(const JsonReader& reader, const char* key) {
  const json* found = reader.find(key);
  if (found == nullptr) return {};
  if (!found->is_array() || found->size() != 4) refuse_json(key, "a list of four numbers");
  for (const json& item : *found) {
    if (item.is_null()) return {};
    if (!item.is_number()) refuse_json(key, "a list of four numbers");
  }
  return {(*found)[0].get<double>(), (*found)[1].get<double>(), (*found)[2].get<double>(), (*found)[3].get<double>()};
}

json stage_range_json(const RangeOfStage& colors) {
  return {{"stage", stage_name(colors.stage)},
          {"range", kRanges[static_cast<std::size_t>(colors.range)]},
          {"low", colors.low},
          {"high", colors.high}};
}

std::optional<RangeOfStage> stage_range_from(const JsonReader& outer) {
  const json* object = outer.find("stage_range");
  if (object == nullptr) return std::nullopt;
  constexpr double kAny = std::numeric_limits<double>::max();
  const JsonReader reader(object->dump());
  RangeOfStage colors;
  colors.stage = reader.read_stage("stage", colors.stage);
  colors.range = static_cast<RangeKind>(reader.read_choice("range", kRanges, static_cast<int>(colors.range)));
  reader.read("low", colors.low, -kAny, kAny);
  reader.read("high", colors.high, -kAny, kAny);
  return colors;
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
  json object = {{"theme", kThemes[static_cast<std::size_t>(s.theme)]},
                 {"ui_scale", s.ui_scale},
                 {"recent_files", valid_utf8(s.recent_files)},
                 {"export_folder", valid_utf8(s.export_folder)},
                 {"open_folder", valid_utf8(s.open_folder)},
                 {"export_format", valid_utf8(s.export_format)},
                 {"export_scale", s.export_scale},
                 {"export_paper", valid_utf8(s.export_paper)},
                 {"export_csv_safe", s.export_csv_safe},
                 {"window_width", s.window_width},
                 {"window_height", s.window_height},
                 {"native_dialogs", valid_utf8(s.native_dialogs)},
                 {"stage_memory_mib", s.stage_memory_mib},
                 {"language", valid_utf8(s.language)},
                 {"tour_step", s.tour_step},
                 {"start_open", s.start_open},
                 {"one_head", s.one_head},
                 {"row_sound", s.row_sound},
                 {"auto_contrast", s.auto_contrast}};
  if (s.panels) object["panels"] = panel_layout_json(*s.panels);
  if (s.folded) object["folded"] = panel_layout_json(*s.folded);
  return object.dump(2) + "\n";
}

Settings parse_settings(const std::string& text) {
  const JsonReader reader(text);
  Settings s;
  s.theme = static_cast<Theme>(reader.read_choice("theme", kThemes, static_cast<int>(s.theme)));
  reader.read("ui_scale", s.ui_scale, kSmallestScale, kLargestScale);
  // Earlier versions had a size of letters beside it, which multiplied it.
  double letters = 1;
  reader.read("text_size", letters, 0.8, 1.3);
  s.ui_scale = std::clamp(s.ui_scale * letters, kSmallestScale, kLargestScale);
  reader.read("recent_files", s.recent_files);
  if (s.recent_files.size() > kMostRecentFiles) s.recent_files.resize(kMostRecentFiles);
  reader.read("export_folder", s.export_folder);
  reader.read("open_folder", s.open_folder);
  reader.read("export_format", s.export_format);
  reader.read("export_scale", s.export_scale, 0.5, 16.0);
  reader.read("export_paper", s.export_paper);
  reader.read("export_csv_safe", s.export_csv_safe);
  reader.read("window_width", s.window_width, 320, 16384);
  reader.read("window_height", s.window_height, 240, 16384);
  reader.read("stage_memory_mib", s.stage_memory_mib, 16, 1 << 20);
  reader.read("language", s.language);
  reader.read("tour_step", s.tour_step, 0, kMostTourSteps);
  if (const json* panels = reader.find("panels")) s.panels = panel_layout_from(JsonReader(panels->dump()), false);
  if (const json* folded = reader.find("folded")) s.folded = panel_layout_from(JsonReader(folded->dump()), false);
  reader.read("start_open", s.start_open);
  reader.read("one_head", s.one_head);
  reader.read("row_sound", s.row_sound);
  reader.read("auto_contrast", s.auto_contrast);
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
                 {"arcs_chosen", v.arcs_chosen},
                 {"arcs_hide_below", v.arcs_hide_below},
                 {"arcs_sentences", kSentences[static_cast<std::size_t>(v.arcs_sentences)]},
                 {"viewport", viewport_json(v.viewport)},
                 {"stage_viewport", viewport_json(v.stage_viewport)},
                 {"request_opened_by_hand", v.request_opened_by_hand},
                 {"layers", layers_json(v.layers)},
                 {"bug_lab", bug_lab_json(v.bug_lab)},
                 {"text", text_json(v.text)},
                 {"lens", lens_json(v.lens)},
                 {"sweep", sweep_json(v.sweep)},
                 {"gradients", gradients_json(v.gradients)},
                 {"score", score_json(v.score)},
                 {"circuits", circuits_json(v.circuits)},
                 {"scatter", scatter_json(v.scatter)},
                 {"corpus", corpus_view_json(v.corpus)},
                 {"sampling", sampling_json(v.sampling)},
                 {"weight_tensor", v.weights.tensor}};
  object.update(panel_layout_json(panel_layout_of(v)));
  // JSON has no infinity; a range that holds one is left at its default.
  if (std::isfinite(v.range_low) && std::isfinite(v.range_high)) {
    object["range_low"] = v.range_low;
    object["range_high"] = v.range_high;
  }
  if (v.stage_range && std::isfinite(v.stage_range->low) && std::isfinite(v.stage_range->high)) {
    object["stage_range"] = stage_range_json(*v.stage_range);
  }
  if (v.sensitivity_by) object["sensitivity_by"] = sensitivity_by_name(*v.sensitivity_by);
  if (v.arcs_heads) object["arcs_heads"] = *v.arcs_heads;
  if (v.cell) object["cell"] = {v.cell->row, v.cell->column};
  if (v.weight_map) object["weight_map"] = color_map_name(*v.weight_map);
  if (v.signed_map) object["signed_map"] = color_map_name(*v.signed_map);
  if (!v.lesson.empty()) object["lesson"] = lesson_json(v.lesson);
  return object.dump(2) + "\n";
}

ViewState parse_view_state(const std::string& text) {
  const JsonReader reader(text);
  constexpr double kAny = std::numeric_limits<double>::max();
  ViewState v;
  v.stage = reader.read_stage("stage", v.stage);
  v.quantity = reader.read_stage("quantity", v.quantity);
  if (!is_score_like(v.quantity)) v.quantity = StageId::weights;
  reader.read("batch", v.batch, 0, kMostIndex);
  reader.read("head", v.head, 0, kMostIndex);
  v.range = static_cast<RangeKind>(reader.read_choice("range", kRanges, static_cast<int>(v.range)));
  reader.read("range_per_head", v.range_per_head);
  reader.read("range_fixed", v.range_fixed);
  reader.read("range_low", v.range_low, -kAny, kAny);
  reader.read("range_high", v.range_high, -kAny, kAny);
  reader.read("log_scale", v.log_scale);
  v.stage_range = stage_range_from(reader);
  v.pooling = static_cast<Pooling>(reader.read_choice("pooling", kPoolings, static_cast<int>(v.pooling)));
  v.main_view = static_cast<MainView>(reader.read_choice("main_view", kMainViews, static_cast<int>(v.main_view)));
  v.concat_shows =
      static_cast<ConcatShows>(reader.read_choice("concat_shows", kConcatShows, static_cast<int>(v.concat_shows)));
  v.heads_show = static_cast<HeadsShow>(reader.read_choice("heads_show", kHeadsShow, static_cast<int>(v.heads_show)));
  reader.read("arcs_hide_below", v.arcs_hide_below, 0.0, 1.0);
  v.arcs_sentences =
      static_cast<SentencePair>(reader.read_choice("arcs_sentences", kSentences, static_cast<int>(v.arcs_sentences)));
  v.arcs_heads = heads_from(reader, "arcs_heads");
  v.arcs_chosen = v.arcs_heads.has_value();
  reader.read("arcs_chosen", v.arcs_chosen);
  v.viewport = viewport_from(reader, "viewport");
  v.stage_viewport = viewport_from(reader, "stage_viewport");
  set_panel_layout(v, panel_layout_from(reader, ViewState().views_grouped));
  reader.read("request_opened_by_hand", v.request_opened_by_hand);
  v.layers = layers_from(reader);
  v.bug_lab = bug_lab_from(reader);
  v.text = text_from(reader);
  v.lens = lens_from(reader);
  v.sweep = sweep_from(reader);
  v.gradients = gradients_from(reader);
  v.score = score_from(reader);
  v.circuits = circuits_from(reader);
  v.scatter = scatter_from(reader);
  v.corpus = corpus_view_from(reader);
  v.sampling = sampling_from(reader);
  reader.read("weight_tensor", v.weights.tensor);
  if (reader.find("sensitivity_by") != nullptr) {
    v.sensitivity_by = static_cast<SensitivityBy>(reader.read_choice("sensitivity_by", kSensitivityBy, 0));
  }
  v.weight_map = map_from(reader, "weight_map");
  v.signed_map = map_from(reader, "signed_map");
  v.lesson = lesson_from(reader, [](const std::string& view) { return window_json(parse_view_state(view)); });
  if (const json* cell = reader.find("cell"); cell != nullptr) {
    if (!cell->is_array() || cell->size() != 2 || !(*cell)[0].is_number() || !(*cell)[1].is_number()) {
      refuse_json("cell", "a list of two numbers");
    }
    const auto index = [](const json& value) {
      return static_cast<std::int64_t>(std::clamp(value.get<double>(), 0.0, static_cast<double>(kMostIndex)));
    };
    v.cell = Cell{index((*cell)[0]), index((*cell)[1])};
  }
  return v;
}

}  // namespace headscope

// The palette's choices of how a result is shown, and the settings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/session/settings_values.h"
#include "app/ui/dialogs/palette_kinds.h"
#include "app/ui/dialogs/palette_match.h"
#include "app/ui/guide/languages.h"
#include "app/ui/stage_facts.h"
#include "core/base/error.h"
#include "core/picture/theme_words.h"
#include "core/picture/view_options.h"

namespace headscope::ui {
namespace {

// Something that has one of a few values, or a number; the value is the text that `values` or `check` knows.
struct Look {
  const char* name;         // "colormap"
  const char* other_words;  // words that find it too
  std::vector<std::string> (*values)(const Ui& ui);
  // "" when the typed value can be set, else why not; null: only `values` can.
  std::string (*check)(const std::string& value);
  void (*set)(Ui& ui, const std::string& value);
  std::string (*now)(const Ui& ui);  // "" when it is none of the values
};

// Why a value of an option of VIEW cannot be, as the command line says it.
std::string view_refusal(const char* option, const std::string& value) {
  try {
    ViewSpec spec;
    find_view_option(option)->set(spec, value);
  } catch (const UsageError& error) {
    return control_words(error.what());
  }
  return "";
}

// The map of the quantity that is shown.
std::optional<ColorMap>& shown_map(ViewState& view) {
  return is_weight_like(view.stage) ? view.weight_map : view.signed_map;
}

std::vector<std::string> color_map_names(const Ui& /*ui*/) {
  std::vector<std::string> names = {"auto"};
  for (const ColorMap map : all_color_maps()) names.emplace_back(color_map_name(map));
  return names;
}

// The value of one of a few words by its place among them.
template <auto field, const auto& words>
std::string word_now(const Ui& ui) {
  return words[static_cast<std::size_t>(ui.session.view.*field)];
}
template <auto field, const auto& words>
void set_word(Ui& ui, const std::string& value) {
  for (std::size_t i = 0; i < std::size(words); ++i) {
    auto& now = ui.session.view.*field;
    if (value == words[i]) now = static_cast<std::remove_reference_t<decltype(now)>>(i);
  }
}
template <const auto& words>
std::vector<std::string> all_words(const Ui& /*ui*/) {
  return {std::begin(words), std::end(words)};
}

constexpr const char* kHeadsShow[] = {"one", "grid", "arcs", "neurons"};
constexpr const char* kConcatShows[] = {"concat", "output", "both"};
constexpr const char* kPoolings[] = {"max", "mean"};
constexpr const char* kRanges[] = {"shared", "per head", "per row"};
constexpr const char* kColorScales[] = {"linear", "logarithmic"};

std::string range_now(const Ui& ui) {
  const ViewState& view = ui.session.view;
  if (view.range_fixed) return fmt::format("{},{}", view.range_low, view.range_high);
  if (view.range == RangeKind::row) return kRanges[2];
  return kRanges[view.range_per_head ? 1 : 0];
}

void set_range(Ui& ui, const std::string& value) {
  ViewState& view = ui.session.view;
  view.range_fixed = std::find(std::begin(kRanges), std::end(kRanges), value) == std::end(kRanges);
  view.range_per_head = value == kRanges[1];
  view.range = value == kRanges[2] ? RangeKind::row : RangeKind::automatic;
  if (!view.range_fixed) return;
  ViewSpec spec;
  find_view_option("range")->set(spec, value);
  view.range_low = spec.range_low;
  view.range_high = spec.range_high;
}

void set_heads_show(Ui& ui, const std::string& value) {
  set_word<&ViewState::heads_show, kHeadsShow>(ui, value);
  ui.session.view.main_view = MainView::layer;
  note_heads_chosen(ui);
}

const Look kViews[] = {
    {"colormap", "colours of the maps", color_map_names, nullptr,
     [](Ui& ui, const std::string& value) { shown_map(ui.session.view) = color_map_named(value); },
     [](const Ui& ui) {
       ViewState view = ui.session.view;
       return shown_map(view) ? std::string(color_map_name(*shown_map(view))) : "auto";
     }},
    {"range", "of the colours", all_words<kRanges>,
     [](const std::string& value) { return view_refusal("range", value); }, set_range, range_now},
    {"colours", "colors log scale", all_words<kColorScales>, nullptr,
     [](Ui& ui, const std::string& value) { ui.session.view.log_scale = value == kColorScales[1]; },
     [](const Ui& ui) { return std::string(kColorScales[ui.session.view.log_scale ? 1 : 0]); }},
    {"heads as", "show view", all_words<kHeadsShow>, nullptr, set_heads_show,
     word_now<&ViewState::heads_show, kHeadsShow>},
    {"concat panel shows", "", all_words<kConcatShows>, nullptr, set_word<&ViewState::concat_shows, kConcatShows>,
     word_now<&ViewState::concat_shows, kConcatShows>},
    {"pooling", "what a pixel shows", all_words<kPoolings>, nullptr, set_word<&ViewState::pooling, kPoolings>,
     word_now<&ViewState::pooling, kPoolings>},
    {"hide_below", "arcs threshold least weight", nullptr,
     [](const std::string& value) { return view_refusal("hide-below", value); },
     [](Ui& ui, const std::string& value) { ui.session.view.arcs_hide_below = std::atof(value.c_str()); },
     [](const Ui& ui) { return fmt::format("{}", ui.session.view.arcs_hide_below); }},
};

// ---- settings

// The size of everything: "150 %".
std::vector<std::string> zooms(const Ui& /*ui*/) {
  std::vector<std::string> words;
  for (const int percent : {50, 75, 90, 100, 110, 115, 125, 130, 150, 175, 200, 250, 300, 400}) {
    words.push_back(fmt::format("{} %", percent));
  }
  return words;
}

// "1.5" and "150", "150%", "150 %" are one; 0: no number.
double zoom_of(const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || !std::isfinite(number)) return 0;
  return number > 5 || value.find('%') != std::string::npos ? number / 100 : number;
}

std::string zoom_refusal(const std::string& value) {
  const double zoom = zoom_of(value);
  return zoom >= kSmallestScale && zoom <= kLargestScale ? "" : "The size is 50 % to 400 %.";
}

void set_zoom(Ui& ui, const std::string& value) {
  ui.settings.ui_scale = std::round(zoom_of(value) * 100) / 100;
}

std::string zoom_now(const Ui& ui) {
  return fmt::format("{:.0f} %", ui.settings.ui_scale * 100);
}

std::vector<std::string> language_names(const Ui& /*ui*/) {
  std::vector<std::string> names = {"auto"};
  for (const Language& language : languages()) names.push_back(language.name);
  return names;
}

void set_language(Ui& ui, const std::string& value) {
  ui.settings.language = "auto";
  for (const Language& language : languages()) {
    if (language.name == value) ui.settings.language = language.code;
  }
}

std::string language_now(const Ui& ui) {
  for (const Language& language : languages()) {
    if (language.code == ui.settings.language) return language.name;
  }
  return "auto";
}

const Look kSettings[] = {
    {"theme", "appearance colours", [](const Ui&) { return theme_names(); }, nullptr,
     [](Ui& ui, const std::string& value) { ui.settings.theme = theme_named(value).value_or(ui.settings.theme); },
     [](const Ui& ui) { return std::string(theme_word(ui.settings.theme)); }},
    {"zoom", "scale size of everything larger smaller letters font", zooms, zoom_refusal, set_zoom, zoom_now},
    {"text size", "", zooms, zoom_refusal, set_zoom, zoom_now},
    {"language", "of the window, the tour and the examples", language_names, nullptr, set_language, language_now},
    {"rows", "sound heard sonification",
     [](const Ui&) {
       return std::vector<std::string>{"silent", "played when picked"};
     },
     nullptr, [](Ui& ui, const std::string& value) { ui.settings.row_sound = value != "silent"; },
     [](const Ui& ui) { return std::string(ui.settings.row_sound ? "played when picked" : "silent"); }},
    {"files are opened", "dialogs native",
     [](const Ui&) {
       return std::vector<std::string>{"also by the desktop", "here only"};
     },
     nullptr,
     [](Ui& ui, const std::string& value) { ui.settings.native_dialogs = value == "here only" ? "never" : "auto"; },
     [](const Ui& ui) {
       return std::string(ui.settings.native_dialogs == "never" ? "here only" : "also by the desktop");
     }},
};

// ---- both

PaletteEntry look_entry(const Ui& ui, const Look& look, std::size_t row, const std::string& value) {
  return {.label = fmt::format("{} {}", look.name, value),
          .right = look.now(ui) == value ? "is so" : "",
          .other_words = fmt::format("{} {}", look.name, look.other_words),
          .argument = value,
          .number = static_cast<std::int64_t>(row)};
}

template <const auto& looks>
void list_looks(Ui& ui, std::vector<PaletteEntry>& entries) {
  for (std::size_t row = 0; row < std::size(looks); ++row) {
    if (looks[row].values == nullptr) continue;
    for (const std::string& value : looks[row].values(ui)) entries.push_back(look_entry(ui, looks[row], row, value));
  }
}

// "hide_below 0.2", "zoom 130", "range 0,1".
template <const auto& looks>
void spell_looks(Ui& ui, const std::string& typed, std::vector<PaletteEntry>& entries) {
  std::string text = typed;
  std::replace(text.begin(), text.end(), '=', ' ');
  const std::vector<std::string> words = typed_words(text);
  for (std::size_t row = 0; row < std::size(looks); ++row) {
    const Look& look = looks[row];
    if (look.check == nullptr) continue;
    for (std::size_t count = 1; count < words.size() && count <= 2; ++count) {
      const auto split = words.begin() + static_cast<std::ptrdiff_t>(count);
      const std::string value = fmt::format("{}", fmt::join(split, words.end(), ""));
      if (!starts_number(value)) continue;
      const SearchQuery name = search_query(fmt::format("{}", fmt::join(words.begin(), split, "_")));
      const int rank = match_rank(name, searchable(look.name), true);
      const bool scattered = rank >= kMatchScattered && rank < kMatchTypo;
      if (rank >= kNoMatch || scattered) continue;
      PaletteEntry entry = look_entry(ui, look, row, value);
      entry.refusal = look.check(value);
      entry.rank = rank;
      entries.push_back(std::move(entry));
      break;
    }
  }
}

template <const auto& looks>
void set_look(Ui& ui, const PaletteEntry& entry) {
  looks[static_cast<std::size_t>(entry.number)].set(ui, entry.argument);
}

constexpr PaletteKind kKinds[] = {
    {"view", false, list_looks<kViews>, spell_looks<kViews>, set_look<kViews>},
    {"setting", false, list_looks<kSettings>, spell_looks<kSettings>, set_look<kSettings>},
};

}  // namespace

std::span<const PaletteKind> palette_looks() {
  return kKinds;
}

}  // namespace headscope::ui

// Parts of a ViewState as objects of its JSON: the view over all layers, the bug lab, the text, the lens, and where
// the panels lie.
#pragma once

#include <nlohmann/json.hpp>

#include "app/session/json_reader.h"
#include "app/session/settings_values.h"
#include "app/session/view_state.h"

namespace headscope {

// All fields. The *_from() functions read them from the object under the key "layers", "bug_lab", "text", "lens",
// "sweep", "gradients", "score", "circuits", "scatter", "corpus" or "sampling" of `outer`; without it they return the
// defaults. They throw Error that names the key that holds the wrong type.
nlohmann::json layers_json(const LayersView& layers);
LayersView layers_from(const JsonReader& outer);
nlohmann::json bug_lab_json(const BugLabView& lab);
BugLabView bug_lab_from(const JsonReader& outer);
// The keys of the layout are read from `object` itself.
nlohmann::json panel_layout_json(const PanelLayout& layout);
// `views_grouped`: what an object without that key has. Who arranged panels before there were groups has all in a row.
PanelLayout panel_layout_from(const JsonReader& object, bool views_grouped);
nlohmann::json text_json(const TextView& text);
TextView text_from(const JsonReader& outer);
nlohmann::json lens_json(const LensView& lens);
LensView lens_from(const JsonReader& outer);
nlohmann::json gradients_json(const GradientsView& gradients);
GradientsView gradients_from(const JsonReader& outer);
nlohmann::json score_json(const ScoreView& score);
ScoreView score_from(const JsonReader& outer);
nlohmann::json circuits_json(const CircuitsView& circuits);
CircuitsView circuits_from(const JsonReader& outer);
nlohmann::json scatter_json(const ScatterView& scatter);
ScatterView scatter_from(const JsonReader& outer);
nlohmann::json sweep_json(const SweepView& sweep);
SweepView sweep_from(const JsonReader& outer);
nlohmann::json corpus_view_json(const CorpusView& corpus);
CorpusView corpus_view_from(const JsonReader& outer);
nlohmann::json sampling_json(const Sampling& sampling);
Sampling sampling_from(const JsonReader& outer);

// A list of heads under `key`, increasing, each once; nullopt without it.
std::optional<std::vector<std::int64_t>> heads_from(const JsonReader& reader, const char* key);

}  // namespace headscope

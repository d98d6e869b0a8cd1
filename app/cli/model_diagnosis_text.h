// This file words the answer of `diagnose` for a dump of a whole model.
#pragma once

#include <string>

#include "core/diagnose/model_diagnosis.h"

namespace headscope::cli {

// Returns what diagnosis_json() has, for the first layer that is wrong given its input, and {layer, first_wrong,
// layers, behind, missing_layers, exchanged_layers}. `layer` is null where no layer is wrong.
std::string model_diagnosis_json(const ModelDiagnosis& found);

// Lines for people: the first layer and stage that are wrong, all of that layer, then a line for every other one.
std::string model_diagnosis_text(const ModelDiagnosis& found);

}  // namespace headscope::cli

// The answer of a diagnosis of a whole model in sentences.
#pragma once

#include <string>
#include <string_view>

#include "core/diagnose/model_diagnosis.h"

namespace headscope {

// Returns what a part of a model is, as a part of a sentence: "what the MLP adds". "" for names that are no part's.
std::string_view part_words(std::string_view name);

// "mlp_out of layer 3 is wrong given its input, mlp_in: largest difference 0.2; ..." or that it is equal; where it is
// wrong, also what stands there and that no mistakes of it are known.
std::string part_sentence(const PartComparison& part, std::int64_t layer);

// "the first layer and stage that are wrong given their input: layer 2, key"; where layers are missing or exchanged,
// which; where all is equal, that. One or more sentences, a line each, without a line break at the end.
std::string model_sentence(const ModelDiagnosis& found);

}  // namespace headscope

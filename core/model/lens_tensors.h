// The state_dict of a model of TransformerLens (HookedTransformer): which tensor is which part, and how it stands.
#pragma once

#include <string>

#include "core/io/json_text.h"
#include "core/model/architecture.h"
#include "core/model/family.h"
#include "core/model/model_config.h"
#include "core/model/weight_files.h"

namespace headscope {

// The names of a row of the table of families: those of the tensors, to which .weight and .bias are added.
TensorNames lens_names();

// Whether files hold such a state_dict, also below the prefixes that training code leaves: embed.W_E and W_Q of layer
// 0.
bool holds_lens_tensors(const WeightFiles& files);

// Makes its tensors known as `lens_names` calls them and a model uses them: blocks.N.attn.W_Q [heads, d_model, d_head]
// as [heads d_head, d_model], W_O [heads, d_head, d_model] as [d_model, heads d_head], and so on; gates, which have no
// bias beside the others', with a bias of zeros. Prefixes of training code are no part of their names. `what` begins an
// Error.
void arrange_lens_tensors(WeightFiles& files, const Architecture& architecture, const std::string& what);

// The same, and the weights of the norms that were folded into what reads them: ones, and biases of zeros.
void arrange_folded_lens_tensors(WeightFiles& files, const Architecture& architecture, const std::string& what);

// The same of such a state_dict beside the config.json of the model that TransformerLens took over, as Hugging Face
// writes it: makes `config` one of TransformerLens's rows, with the sizes, positions and activation that it has. Known
// for families whose numbers are taken over as they are; others are left as they are, and miss their tensors.
void read_as_lens(ModelConfig& config, const WeightFiles& files, const std::string& what);

// What a config.json would say of such files that have none beside them: sizes, and the norm where its tensors tell it.
// Throws Error, which begins with `what`, where something is left that the tensors do not tell: it names what, and
// gives a config.json to complete.
JsonValue lens_config(const WeightFiles& files, const std::string& what);

}  // namespace headscope

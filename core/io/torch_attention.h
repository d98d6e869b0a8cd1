// Where programs keep the attention of all layers in a dictionary that torch.save writes.
#pragma once

#include "core/io/pickle_value.h"

namespace headscope {

// Of a pickle that is a dictionary: what stands under a name of attention ("attentions", "attention",
// "attention_weights", "attn_weights", "weights"), where that is a list or a tuple, or, but for "weights", a tensor and
// nothing else is there. Null where there is none.
const PickleValue* attention_list(const Pickle& pickle);

}  // namespace headscope

// Keys of config.json that change no number of a model.
#pragma once

#include <string>

#include "core/io/json_value.h"

namespace headscope {

// Whether a key, at that value, says nothing that changes what a model computes: names of tokens and labels, how it was
// trained and is generated with, kinds of numbers, and sizes and biases that its tensors have; a switch that is set as
// most models have it.
bool is_harmless_key(const std::string& key, const JsonValue& value);

}  // namespace headscope

// Plain values of a pickle as JSON: settings that training code keeps beside its tensors.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/io/pickle_value.h"

namespace headscope {

// The value as JSON text: None, truths, numbers, texts, and tuples, lists and dictionaries (whose keys are texts) of
// such, nested at most four deep and at most 100,000 in all. nullopt for everything else, tensors among it, for numbers
// that JSON does not have and for texts that are no UTF-8.
std::optional<std::string> json_of_pickle(const Pickle& pickle, const PickleValue& value);

// Of a pickle that is a dictionary: the values of its texts for which json_of_pickle() has JSON, by these texts.
std::map<std::string, std::string> settings_of_pickle(const Pickle& pickle);

}  // namespace headscope

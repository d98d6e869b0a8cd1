// What families call the parts of their layers, and which of them calls parts as some files do.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/model/family.h"

namespace headscope {

// Whether the family's layers have a part of that name, the name of a tensor behind the layer's number and its dot:
// "self_attn.q_proj.weight".
bool family_names(const Family& family, const std::string& tensor);

// The families whose rows name all of `tensors`, the names of one layer's tensors, and the fewest parts that are not
// among them; in the order of the table. Empty where no row names all of them, or there are none. Encoder-decoders and
// models that read images are not asked.
std::vector<const Family*> families_by_names(const std::set<std::string>& tensors);

}  // namespace headscope

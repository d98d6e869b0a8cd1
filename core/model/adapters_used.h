// This finds out whether the tensors that adapters change are read at all.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/model/family.h"

namespace headscope {

// Throws Error where a changed tensor is none of `used`: its change would have no effect. Of a model with a tower for
// texts and one for images, of which one is opened, `family` is that one's: changes of the other are passed over where
// some are of this one.
void check_adapters_used(const std::string& model, const std::vector<std::string>& changed,
                         const std::set<std::string>& used, const Family& family);

}  // namespace headscope

// Attention layers inside a state_dict of more, such as torch.nn.TransformerEncoderLayer's "self_attn.in_proj_weight".
#pragma once

#include <string>
#include <vector>

namespace headscope {

// What stands before the names of the attention layers that the tensors are of: "" of a file that is one, "self_attn."
// of one inside; sorted. Empty where there is none.
std::vector<std::string> layer_prefixes(const std::vector<std::string>& tensors);

// The one layer of them. Throws Error, which begins with `source` and names the first of them, where there are several;
// "" where there is none.
std::string only_layer_prefix(const std::vector<std::string>& tensors, const std::string& source);

// The tensors of that layer, as a file of it alone names them.
std::vector<std::string> names_behind(const std::string& prefix, const std::vector<std::string>& tensors);

}  // namespace headscope

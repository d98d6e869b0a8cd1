// The operation that made a stage, as the pipeline shows it: "x · Wqkv + b", "÷ √64", "+ causal mask".
#pragma once

#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// "embed", "embed + position", "from file"; of a model "what leaves layer 3, LayerNorm".
std::string embedding_text(const Request& request, const Inputs& inputs);

// The same of keys and values of their own: "what the encoder gives".
std::string key_input_text(const Request& request, const Inputs& inputs);

// "x · Wq + b"; without the bias when there is none.
std::string product_text(const char* matrix, const Linear& linear);

// The shortest form of a number.
std::string number_text(double value);

// "÷ √64", "× 0.2"
std::string scale_text(const Request& request, const Inputs& inputs, double scale);

// All mask terms that hide: the model's own, then those of the request that the model does not have; of attention alone
// also a mask beside the queries in their file, and what keeps packed texts apart, as files.
std::vector<MaskTerm> mask_terms_of(const Request& request, const Inputs& inputs);

// Whether the request or the model has a mask: terms, files, painted cells.
bool asks_for_mask(const Request& request, const Inputs& inputs);

// The request with the model's own mask terms added: for texts about the mask.
Request with_own_mask(const Request& request, const Inputs& inputs);

// "+ causal mask", "+ causal, padding 2 mask", "no mask"
std::string mask_step_text(const Request& request, const Inputs& inputs);

// "split heads", "split heads, RMSNorm, RoPE", "split heads, within ±6". `norm`: the weights of the norm, or empty.
std::string heads_text(const char* split, const HeadRule& rule, const Tensor& norm);

// "softmax", "softmax over queries, then mask"
// "50 · tanh(s ÷ 50)"; s + mask where the cap comes after what the mask adds.
std::string softcap_text(double softcap, bool caps_added);
std::string softmax_text(const Request& request, bool any_hidden);

// "· value", "· value, head 3 = 0"
std::string context_text(const Request& request);

}  // namespace headscope

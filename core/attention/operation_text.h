// What made a stage, as the pipeline shows it: "x · Wqkv + b", "÷ √64", "+ causal mask".
#pragma once

#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// "embed", "embed + position", "from file"; of a model "what leaves layer 3, LayerNorm".
std::string embedding_text(const Request& request, const Inputs& inputs);

// "x · Wq + b"; without the bias when there is none.
std::string product_text(const char* matrix, const Linear& linear);

// The shortest form of a number.
std::string number_text(double value);

// "÷ √64", "× 0.2"
std::string scale_text(const Request& request, const Inputs& inputs, double scale);

// All that hides: the model's own terms, then the request's that are not among them.
std::vector<MaskTerm> mask_terms_of(const Request& request, const Inputs& inputs);

// Whether anything hides keys or adds to scores, as far as the request and the model say: terms, files, painted cells.
bool asks_for_mask(const Request& request, const Inputs& inputs);

// The request as if the model's own terms had been asked for, too: for what is said about the mask.
Request with_own_mask(const Request& request, const Inputs& inputs);

// "+ causal mask", "+ causal, padding 2 mask", "no mask"
std::string mask_step_text(const Request& request, const Inputs& inputs);

// "split heads", "split heads, RMSNorm, RoPE".
std::string heads_text(const char* split, bool norm, bool rotary);

// "softmax", "softmax over queries, then mask"
std::string softmax_text(const Request& request, bool any_hidden);

// "· value", "· value, head 3 = 0"
std::string context_text(const Request& request);

}  // namespace headscope

// This is the table of beginnings before the names of a body's tensors; a column says which of them name a family.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headscope {

struct BodyPrefix {
  std::string text;         // "module.bert."
  std::string_view family;  // "bert.", where it is a family's own name; "" where models of several are called so
};

// Every body's, alone and behind every wrapper of it (torch.compile, DistributedDataParallel, modules of training
// code), each once; that without any text first. body_prefixes() (family.h) are their texts.
std::span<const BodyPrefix> named_body_prefixes();

}  // namespace headscope

// The known mistakes as a table: how each is spelled, and what a computation with it still allows.
#pragma once

#include <span>

#include "core/request/option_reach.h"
#include "core/request/request.h"

namespace headscope {

// One row a variant.
struct VariantInfo {
  Variant value{};
  const char* text = "";  // as --variant spells it
  // The middle of attention is one pass of the backend, whose scores are computed when read; false: step by step, every
  // stage is kept.
  bool one_pass = false;
  // How far rows keep their numbers under it when other tokens follow.
  RowsApart rows = RowsApart::nowhere;
};

// One for every variant, in the order of Variant.
std::span<const VariantInfo> variant_infos();
const VariantInfo& variant_info(Variant variant);

// The column of `--variant`: as far as each of the request's says.
RowsApart rows_of_variants(const Request& request);

}  // namespace headscope

#include "core/request/variant_infos.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr VariantInfo kInfos[] = {
    {.value = Variant::softmax_over_queries, .text = "softmax-over-queries", .rows = RowsApart::projections},
    {.value = Variant::no_scale, .text = "no-scale", .one_pass = true, .rows = RowsApart::everywhere},
    {.value = Variant::scale_by_d_model, .text = "scale-by-d-model", .one_pass = true, .rows = RowsApart::everywhere},
    {.value = Variant::mask_inverted, .text = "mask-inverted", .one_pass = true, .rows = RowsApart::projections},
    {.value = Variant::mask_after_softmax,
     .text = "mask-after-softmax",
     .one_pass = true,
     .rows = RowsApart::projections},
    {.value = Variant::qkv_blocked_as_per_head,
     .text = "qkv-blocked-as-per-head",
     .one_pass = true,
     .rows = RowsApart::everywhere},
    {.value = Variant::qkv_per_head_as_blocked,
     .text = "qkv-per-head-as-blocked",
     .one_pass = true,
     .rows = RowsApart::everywhere},
    {.value = Variant::key_not_transposed, .text = "key-not-transposed", .rows = RowsApart::projections},
};

constexpr bool every_variant_has_its_row() {
  for (std::size_t place = 0; place < std::size(kInfos); ++place) {
    if (kInfos[place].value != static_cast<Variant>(place)) return false;
  }
  return std::size(kInfos) == static_cast<std::size_t>(Variant::key_not_transposed) + 1;
}
static_assert(every_variant_has_its_row(), "one row a variant, in the order of Variant");

}  // namespace

std::span<const VariantInfo> variant_infos() {
  return kInfos;
}

const VariantInfo& variant_info(Variant variant) {
  const auto place = static_cast<std::size_t>(variant);
  HEADSCOPE_ASSERT(place < std::size(kInfos), "no row for variant " + std::to_string(place));
  return kInfos[place];
}

RowsApart rows_of_variants(const Request& request) {
  RowsApart apart = RowsApart::everywhere;
  for (const Variant variant : request.variants) apart = std::min(apart, variant_info(variant).rows);
  return apart;
}

}  // namespace headscope

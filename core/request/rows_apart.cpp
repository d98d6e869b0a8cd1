#include "core/request/rows_apart.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"
#include "core/request/variant_infos.h"

namespace headscope {
namespace {

bool is_named_by_a_stage(std::string_view option) {
  return std::any_of(stage_infos().begin(), stage_infos().end(), [&](const StageInfo& stage) {
    return std::find(stage.made.options.begin(), stage.made.options.end(), option) != stage.made.options.end();
  });
}

bool is_named_by_a_stage(Variant variant) {
  return std::any_of(stage_infos().begin(), stage_infos().end(), [&](const StageInfo& stage) {
    return std::find(stage.made.variants.begin(), stage.made.variants.end(), variant) != stage.made.variants.end();
  });
}

// Options whose change may change anything. What an intervention changes stands in its kind or in itself, what variants
// do in the rows of stages.
const std::vector<const RequestOption*>& unsaid_options() {
  static const std::vector<const RequestOption*> options = [] {
    std::vector<const RequestOption*> found;
    for (const RequestOption& option : request_options()) {
      const OptionChanges changes = option.reach.changes;
      const bool by_items = is_intervention(option.name) || option.name == std::string_view("variant");
      const bool unnamed =
          changes == OptionChanges::named_stages && !by_items && !is_named_by_a_stage(std::string_view(option.name));
      if (changes == OptionChanges::anything || unnamed) found.push_back(&option);
    }
    return found;
  }();
  return options;
}

const std::vector<Variant>& unsaid_variants() {
  static const std::vector<Variant> variants = [] {
    std::vector<Variant> found;
    for (const VariantInfo& info : variant_infos()) {
      if (!is_named_by_a_stage(info.value)) found.push_back(info.value);
    }
    return found;
  }();
  return variants;
}

}  // namespace

RowsApart rows_apart(const Request& request) {
  RowsApart apart = RowsApart::everywhere;
  for (const RequestOption& option : request_options()) {
    const bool unsaid = option.reach.rows == nullptr;
    const RowsApart own = !unsaid                     ? option.reach.rows(request)
                          : is_given(option, request) ? RowsApart::nowhere
                                                      : RowsApart::everywhere;
    apart = std::min(apart, own);
  }
  return apart;
}

bool differ_unsaid(const Request& a, const Request& b) {
  const std::vector<const RequestOption*>& options = unsaid_options();
  const std::vector<Variant>& variants = unsaid_variants();
  return std::any_of(options.begin(), options.end(),
                     [&](const RequestOption* option) {
                       return option->get(a) != option->get(b) || is_given(*option, a) != is_given(*option, b);
                     }) ||
         std::any_of(variants.begin(), variants.end(),
                     [&](Variant variant) { return has_variant(a, variant) != has_variant(b, variant); });
}

}  // namespace headscope

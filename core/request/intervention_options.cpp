#include "core/request/intervention_options.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/assert.h"
#include "core/request/intervention_kinds.h"
#include "core/request/option_scope.h"

namespace headscope {
namespace {

template <std::size_t row>
RequestOption intervention_option() {
  const InterventionOption& option = std::get<row>(kInterventionKinds).option;
  return {
      option.name,
      option.placeholder,
      option.help,
      [](const Request& request) {
        const auto& kind = std::get<row>(kInterventionKinds);
        return terms_text(kind, request.*kind.field);
      },
      [](Request& request, const std::string& text) { set_terms(std::get<row>(kInterventionKinds), request, text); },
      false,
      {std::get<row>(kInterventionKinds).reach,
       [](const Request& request) {
         const auto& kind = std::get<row>(kInterventionKinds);
         return any_on(request.*kind.field) ? kind.rows : RowsApart::everywhere;
       }},
      kActsOnAll};  // where it cannot act, core/attention/intervention_problem refuses it
}

template <std::size_t... row>
std::array<RequestOption, sizeof...(row)> intervention_options(std::index_sequence<row...>) {
  return {intervention_option<row>()...};
}

}  // namespace

std::vector<RequestOption> with_interventions(std::vector<RequestOption> options) {
  const auto rows = intervention_options(std::make_index_sequence<kInterventionKindCount>());
  const auto variant = std::find_if(options.begin(), options.end(), [](const RequestOption& option) {
    return std::string_view(option.name) == "variant";
  });
  HEADSCOPE_ASSERT(variant != options.end(), "no option variant");
  options.insert(std::next(variant), rows.begin(), rows.end());
  return options;
}

}  // namespace headscope

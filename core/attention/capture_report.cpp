// What is said of a captured layer: what it locks, and what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/attention/capture_trace.h"
#include "core/attention/captured_layer.h"
#include "core/request/intervention_kinds.h"

namespace headscope {

bool changes_weights(std::string_view option) {
  constexpr std::string_view changing[] = {"mask",         "mask-order", "mask-fill",     "fully-masked",
                                           "scale",        "softcap",    "softcap-order", "dropout",
                                           "dropout-mask", "variant",    "past",          "causal-align"};
  return std::find(std::begin(changing), std::end(changing), option) != std::end(changing);
}

const char* capture_lock(const CaptureReport& report, std::string_view option) {
  if (changes_weights(option) && !report.query_key && !report.scores) {
    return "The capture holds weights without queries and keys: they stay as they were captured.";
  }
  if (report.scores && (option == "scale" || option == "mask-order")) {
    return "The capture holds scores without queries and keys: they are scaled already.";
  }
  if (option == "weighting" && !report.value) return "The capture holds no values, whose lengths weights could have.";
  if (option == "d-model" && !report.query_key && !report.value) {
    return "The capture holds neither queries nor values, and so no width.";
  }
  if (option == "dropout-mask") return "A capture takes no pattern of dropout.";
  if ((option == "merge" || option == "ablate") && !report.value) {
    return "The capture holds no values: there are no contexts to merge or to switch off.";
  }
  bool of_numbers = false;
  for_each_kind([&](const auto& kind) {
    of_numbers = of_numbers || (kind.effect != InterventionEffect::heads && kind.option.name == option);
  });
  return of_numbers ? "A capture's numbers are what another program computed; they are not edited." : nullptr;
}

std::string capture_warning(const CaptureReport& report) {
  std::string warning;
  if (report.row_sums && (report.row_sums->off > 0 || report.row_sums->nan_rows > 0)) {
    warning = "Captured weights: " + row_sums_text(*report.row_sums) + ".";
  }
  if (report.mask_left_out) {
    warning +=
        fmt::format("{}The captured mask hides cells whose captured weights are not 0: nothing is shown as hidden.",
                    warning.empty() ? "" : " ");
  }
  if (report.weights_difference && !(*report.weights_difference <= kCapturedWeightsTolerance)) {
    warning += fmt::format(
        "{}The captured weights differ by up to {:.3g} from those computed from the captured {}, which are shown: "
        "another "
        "mask, scale or bias took part.",
        warning.empty() ? "" : " ", *report.weights_difference, report.scores ? "scores" : "queries and keys");
  }
  return warning;
}

}  // namespace headscope

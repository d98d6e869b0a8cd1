#include "app/ui/inspector/statistics_rows.h"

#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {

std::vector<StatisticsRow> statistics_rows(const Statistics& s) {
  const auto number = [](double value) { return number_label(value, 4, true); };
  return {
      {"min", "The smallest finite value.", number(s.min)},
      {"max", "The largest finite value.", number(s.max)},
      {"mean", "Σ x / n over the finite values.", number(s.mean)},
      {"std", "√(Σ (x − mean)² / n) over the finite values.", number(s.std)},
      {"L2 norm", "√(Σ x²) over the finite values.", number(s.l2_norm)},
      {"NaN", "How many values are not a number.", grouped_digits(s.nan_count), true, false, s.nan_count},
      {"inf", "How many values are infinite, of both signs.", grouped_digits(s.inf_count), true, true, s.inf_count},
  };
}

}  // namespace headscope::ui

#include "core/diagnose/verdict_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

#include "core/diagnose/mistake_rows.h"
#include "core/request/stage.h"

namespace headscope {

std::string verdict_sentence(const StageComparison& found) {
  const std::string_view name = stage_name(found.stage);
  if (found.equal && found.format.is_float32()) {
    return fmt::format("{} is equal: largest difference {:.3g}", name, found.max_difference);
  }
  if (found.equal) {
    return fmt::format(
        "{} is equal within {}: the largest difference, {:.3g}, is within what rounding costs here: {:.3g}", name,
        found.format.name, found.max_difference, found.allowed);
  }
  std::string given;
  for (const StageId stage : found.given)
    given += (given.empty() ? ", given their " : ", ") + std::string(stage_name(stage));
  // Two shapes have no cell by cell difference: the axes of theirs are those of ours in another order.
  if (std::isinf(found.max_difference) && found.where.cells == 0) {
    return fmt::format("{} differs{}: its axes stand in another order", name, given);
  }
  if (found.common_factor) {
    return fmt::format(
        "{} differs{}: no number lies further away than rounding to {} may move it here, {:.3g}, but all of them "
        "together "
        "are {} {:.4g}, and rounding does not lean to one side",
        name, given, found.format.name, found.allowed,
        found.common_factor->of_scores ? "the softmax of our scores times" : "ours times", found.common_factor->factor);
  }
  std::string text = fmt::format("{} differs{}: largest difference {:.3g}", name, given, found.max_difference);
  if (found.same_as) text += fmt::format("; these are our {}", stage_name(*found.same_as));
  const bool says_numbers = found.format.name.ends_with("numbers");
  if (!found.format.is_float32()) {
    text += fmt::format("; theirs are {}{}", found.format.name, says_numbers ? "" : " numbers");
  }
  return text;
}

std::string explained_sentence(const StageComparison& found) {
  if (found.equal) return "";
  if (!found.explanations.empty()) {
    const std::vector<std::string>& names = found.explanations.front().variants;
    if (names.empty()) return "It is explained by rounding alone";
    const std::string what = what_mistakes_do(names);
    return fmt::format("It is explained by {}{}{}", fmt::join(names, ", "), what.empty() ? "" : ": ", what);
  }
  constexpr double kWorthNaming = 0.05;  // less of the difference is chance
  std::string text = "No known mistake or convention explains it";
  if (!found.nearest.empty() && found.nearest.front().share >= kWorthNaming) {
    text += fmt::format("; what comes nearest is {}, with {:.3g}% of the difference",
                        fmt::join(found.nearest.front().variants, ", "), 100 * found.nearest.front().share);
  }
  return text;
}

std::string what_mistakes_do(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (const MistakeRow* row = mistake_named(name)) text += (text.empty() ? "" : "; ") + std::string(row->sentence);
  }
  return text;
}

}  // namespace headscope

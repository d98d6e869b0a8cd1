#include "app/session/background/background.h"

#include <utility>

namespace headscope {

Background::Background(const Executor& like, const std::function<void()>& wake, Compute compute, EngineOptions engine)
    : maps(like.make_sibling(Load::light), wake),
      slice_numbers(like.make_sibling(Load::heavy), wake),
      model_numbers(like.make_sibling(Load::heavy), std::move(compute), std::move(engine), wake),
      variant_numbers(like.make_sibling(Load::heavy), wake),
      precision_numbers(like.make_sibling(Load::heavy), wake),
      explanations(like.make_sibling(Load::light), wake),
      comparisons(
          like.make_sibling(Load::heavy), wake,
          [](const ComparisonQuery& of, const CancelToken& cancel) { return compare_traces(*of.a, *of.b, cancel); }),
      differences(like.make_sibling(Load::heavy), wake,
                  [](const DifferenceQuery& of, const CancelToken&) {
                    return difference_matrix(*of.a, *of.b, of.stage, of.batch, of.head);
                  }),
      sensitivities(like.make_sibling(Load::heavy), wake,
                    [](const SensitivityQuery& of, const CancelToken& cancel) {
                      return sensitivity(*of.trace, of.stage, of.index, cancel);
                    }),
      cell_searches(like.make_sibling(Load::heavy), wake, CellSearches::WorkInParts(find_cells)),
      text_shades(like.make_sibling(Load::heavy), wake, [](const TextWeightsQuery& of, const CancelToken& cancel) {
        return text_weights(*of.trace, of.request, cancel);
      }) {}

bool Background::busy() const {
  return maps.busy() || slice_numbers.busy() || model_numbers.busy() || variant_numbers.busy() ||
         precision_numbers.busy() || explanations.busy() || comparisons.busy() || differences.busy() ||
         sensitivities.busy() || cell_searches.busy() || text_shades.busy();
}

}  // namespace headscope

#include "app/session/background/background.h"

#include <iterator>
#include <utility>

#include "core/generate/generation.h"
#include "core/model/named_token.h"

namespace headscope {

namespace {

// Of a short text the first five tokens of every cell, of a longer one the first.
LogitLens lens_of(const LensQuery& of, const CancelToken& cancel) {
  constexpr std::int64_t kFewCells = 20'000, kTop = 5;
  const std::int64_t cells = of.trace->query_len() * std::ssize(lens_rows("view", *of.trace, of.of));
  return logit_lens("view", *of.trace, {of.of, of.batch, cells <= kFewCells ? kTop : 1}, cancel);
}

NextToken next_token_of(const NextTokenQuery& of, const CancelToken& cancel) {
  constexpr std::int64_t kTop = 12;
  const Checkpoint& checkpoint = *of.trace->model->checkpoint;
  NextToken next;
  next.sampled =
      sampled_token(next_logits(*of.trace, cancel), of.sampling, drawn_number(of.sampling.seed, of.step), kTop);
  next.piece = token_piece(checkpoint, next.sampled.token.id);
  for (const TokenChance& each : next.sampled.top) next.top.push_back(token_piece(checkpoint, each.id));
  return next;
}

// Norms are folded in, as circuits and pictures do.
Composition composition_of(const CompositionQuery& of, const CancelToken& cancel) {
  const auto maps = [&](std::int64_t layer) { return head_maps(*of.checkpoint, layer, NormFolding::fold); };
  return composition(of.checkpoint->architecture().num_layers, maps, *of.backend, cancel);
}

}  // namespace

Background::Background(const Executor& like, const std::function<void()>& wake, Compute compute, EngineOptions engine)
    : maps(like.make_sibling(Load::light), wake),
      slice_numbers(like.make_sibling(Load::heavy), wake),
      model_numbers(like.make_sibling(Load::heavy), compute, engine, wake),
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
      text_shades(like.make_sibling(Load::heavy), wake,
                  [](const TextWeightsQuery& of, const CancelToken& cancel) {
                    return text_weights(*of.trace, of.request, cancel);
                  }),
      lenses(like.make_sibling(Load::heavy), wake, lens_of),
      attributions(like.make_sibling(Load::heavy), wake,
                   [](const AttributionQuery& of, const CancelToken& cancel) {
                     LogitQuestion question;
                     question.position = of.position;
                     question.ids = of.ids;
                     question.by = of.by;
                     question.loss = of.loss;
                     return attribution(*of.trace->model, question, cancel);
                   }),
      sweeps(like.make_sibling(Load::heavy), wake, sweep_work(engine)),
      gradients(like.make_sibling(Load::heavy), wake, weight_gradient_work(engine)),
      scores(like.make_sibling(Load::heavy), wake,
             [](const ScoreQuery& of, const CancelToken& cancel) {
               return score_writers(*of.trace->model, of.question, cancel);
             }),
      compositions(like.make_sibling(Load::heavy), wake, composition_of),
      token_circuits(like.make_sibling(Load::heavy), wake,
                     [](const TokenCircuitQuery& of, const CancelToken& cancel) {
                       return token_circuit(*of.checkpoint, of.question, NormFolding::fold, cancel);
                     }),
      token_maps(like.make_sibling(Load::heavy), wake,
                 [](const TokenMapsQuery& of, const CancelToken& cancel) {
                   return headscope::token_maps(*of.checkpoint, of.question, NormFolding::fold, cancel);
                 }),
      vocabulary_maps(like.make_sibling(Load::heavy), wake,
                      [](const VocabularyMapsQuery& of, const CancelToken& cancel) {
                        return headscope::vocabulary_maps(*of.checkpoint, of.place.layer, of.place.head,
                                                          NormFolding::fold, of.backend, cancel);
                      }),
      scatters(like.make_sibling(Load::heavy), wake,
               [](const ScatterQuery& of, const CancelToken& cancel) {
                 return query_key_scatter(*of.trace, of.batch, of.head, cancel);
               }),
      next_tokens(like.make_sibling(Load::heavy), wake, next_token_of),
      head_effects(like.make_sibling(Load::heavy), wake, head_effect_work(compute, engine)),
      runs_without(like.make_sibling(Load::heavy), wake, run_without_work(std::move(compute), std::move(engine))),
      corpora(like.make_sibling(Load::heavy), wake, corpus_contents),
      corpus_lists(like.make_sibling(Load::heavy), wake, corpus_list),
      corpus_models(like.make_sibling(Load::heavy), wake, corpus_model),
      corpus_phrases(like.make_sibling(Load::heavy), wake, corpus_phrases_of),
      corpus_point_phrases(like.make_sibling(Load::light), wake, corpus_point_phrase),
      points_of_head(like.make_sibling(Load::light), wake, headscope::points_of_head),
      heads_like_one(like.make_sibling(Load::light), wake, head_among_others),
      head_trees(like.make_sibling(Load::light), wake, head_tree_of),
      headvis_heads(like.make_sibling(Load::light), wake, headvis_head) {}

bool Background::busy() const {
  return maps.busy() || slice_numbers.busy() || model_numbers.busy() || variant_numbers.busy() ||
         precision_numbers.busy() || explanations.busy() || comparisons.busy() || differences.busy() ||
         sensitivities.busy() || cell_searches.busy() || text_shades.busy() || lenses.busy() || attributions.busy() ||
         sweeps.busy() || gradients.busy() || scores.busy() || compositions.busy() || token_circuits.busy() ||
         token_maps.busy() || vocabulary_maps.busy() || scatters.busy() || next_tokens.busy() || head_effects.busy() ||
         runs_without.busy() || corpora.busy() || corpus_lists.busy() || corpus_models.busy() ||
         corpus_phrases.busy() || corpus_point_phrases.busy() || points_of_head.busy() || heads_like_one.busy() ||
         head_trees.busy() || headvis_heads.busy();
}

}  // namespace headscope

#include "core/generate/generation_problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/checkpoint.h"
#include "core/request/intervention_kinds.h"
#include "core/request/model_kind.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

constexpr const char* kGenerators =
    "A text is continued by a checkpoint that predicts the next token: demo:induction, the folder of a decoder such as "
    "GPT-2 or Llama, of an encoder-decoder such as T5, or a GGUF file.";

MaybeProblem model_problem(const Request& request) {
  if (request.attention == AttentionList::encoder) {
    return Problem{"attention",
                   "an encoder goes on with no text",
                   "The decoder's text is continued: give attention decoder or cross, or leave it out.",
                   {{"cross", "attention", "cross"}}};
  }
  if (runs_checkpoint(request)) return {};
  for (const auto& [option, path] :
       {std::pair{"input", &request.input}, {"query", &request.query}, {"weights", &request.weights}}) {
    if (!path->empty()) return Problem{option, fmt::format("{} holds no text to go on with", *path), kGenerators, {}};
  }
  if (runs_capture(request)) return Problem{"model", "a capture computes no further token", kGenerators, {}};
  return Problem{"model", "seeded weights have no vocabulary", kGenerators, {}};
}

// Masks that do not grow with the text.
MaybeProblem mask_problem(const Request& request) {
  constexpr const char* kGrows =
      "A file has one shape, and every token adds a row and a column. What grows with the text: none, causal, padding, "
      "window, prefix and alibi, --paint, and --dropout by its seed.";
  for (const MaskTerm& term : request.mask) {
    if (term.kind != MaskTerm::Kind::file) continue;
    return Problem{"mask", fmt::format("{} does not grow with the text", term.path), kGrows, {}};
  }
  if (request.dropout_mask.empty()) return {};
  return Problem{"dropout-mask", fmt::format("{} does not grow with the text", request.dropout_mask), kGrows, {}};
}

// An array whose features are keys has one size, as a mask has.
MaybeProblem array_problem(const Request& request) {
  MaybeProblem problem;
  visit_arrays(request, [&](const auto& kind, const StageArray& array) {
    const std::optional<StageId> stage = stage_named(array.stage);
    if (problem || !array.on || array.file.empty() || !stage || !is_score_like(*stage)) return;
    const char* option = kind.option.name;
    problem = Problem{option,
                      fmt::format("{} does not grow with the text", array.file),
                      fmt::format("Every token adds a key to a row of {}. A number can be put there, and arrays into "
                                  "stages whose rows are vectors.",
                                  array.stage),
                      {{"none", option, "none"}}};
  });
  return problem;
}

}  // namespace

MaybeProblem generation_problem(const Request& request) {
  if (MaybeProblem problem = model_problem(request)) return problem;
  if (request.batch.value_or(1) != 1) {
    return Problem{"batch",
                   fmt::format("{} texts cannot be continued at once", *request.batch),
                   "One text grows at a time.",
                   {{"1", "batch", "1"}}};
  }
  if (request.second_phrase) {
    return Problem{"second-phrase", "a pair of texts cannot be continued", "One text grows; give it as phrase.", {}};
  }
  if (MaybeProblem problem = array_problem(request)) return problem;
  return mask_problem(request);
}

MaybeProblem generation_problem(const Request& request, const Inputs& inputs, std::int64_t tokens) {
  const Architecture& architecture = inputs.checkpoint->architecture();
  switch (inputs.checkpoint->output_head().kind) {
    case OutputHead::Kind::next_token:
      break;
    case OutputHead::Kind::masked:
      return Problem{
          "model", fmt::format("{} predicts masked tokens, not the next one", request.model), kGenerators, {}};
    case OutputHead::Kind::none:
      if (const auto decoder = inputs.checkpoint->part(Architecture::Part::decoder);
          decoder && !decoder->start_token()) {
        return Problem{"model",
                       fmt::format("config.json of {} names no decoder_start_token_id", request.model),
                       "Give decoder-ids or decoder-phrase, the text that the decoder goes on with.",
                       {}};
      }
      return Problem{"model", fmt::format("{} {}", request.model, inputs.checkpoint->why_no_head()), kGenerators, {}};
  }
  if (architecture.position == Architecture::Position::none) return {};  // no table, no angles: any length
  const std::int64_t room = architecture.max_positions - inputs.query_len;
  if (tokens <= room) return {};
  return Problem{"tokens",
                 fmt::format("{} after a prompt of {} are more than the {} positions of {}", tokens, inputs.query_len,
                             architecture.max_positions, request.model),
                 room > 0 ? fmt::format("At most {} fit.", room) : "None fits.",
                 {}};
}

}  // namespace headscope

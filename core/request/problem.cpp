#include "core/request/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/assert.h"
#include "core/base/utf8.h"
#include "core/base/words.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask.h"
#include "core/request/mask_terms.h"
#include "core/request/model_kind.h"
#include "core/request/problem_checks.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

bool holds_no_word(const std::string& text) {
  return words_of(text).empty();
}

MaybeProblem text_problem(const char* option, const char* name, const std::string& text) {
  const std::size_t invalid = first_invalid_byte(text);
  if (invalid != std::string::npos) {
    return Problem{option,
                   fmt::format("{} is not UTF-8", name),
                   fmt::format("Byte 0x{:02X} at position {} starts no character. Save the text as UTF-8.",
                               static_cast<unsigned char>(text[invalid]), invalid),
                   {}};
  }
  if (holds_no_word(text))
    return Problem{option, fmt::format("{} holds no token", name), "Type at least one word.", {}};
  return {};
}

// Only a phrase can be taken back by setting another value; files are dropped by leaving their option out.
MaybeProblem both_given(const char* option, const char* other, const char* detail) {
  Problem problem{option, fmt::format("{} and {} exclude each other", option, other), detail, {}};
  if (std::string_view(option) == "phrase") problem.suggestions.push_back({"drop the phrase", "phrase", ""});
  return problem;
}

// A checkpoint reads tokens of its own vocabulary.
MaybeProblem checkpoint_source_problem(const Request& r) {
  const char* tokens = "A checkpoint reads a phrase or token-ids; its layers make the vectors.";
  for (const auto& [option, given] : {std::pair{"key-phrase", r.key_phrase.has_value()},
                                      {"input", !r.input.empty()},
                                      {"key-input", !r.key_input.empty()},
                                      {"value-input", !r.value_input.empty()}}) {
    if (given) return Problem{option, fmt::format("{} and a checkpoint exclude each other", option), tokens, {}};
  }
  if (r.token_ids.empty()) {
    if (MaybeProblem problem = text_problem("phrase", "the phrase", r.phrase)) return problem;
    return r.second_phrase ? text_problem("second-phrase", "the second phrase", *r.second_phrase) : MaybeProblem();
  }
  if (r.second_phrase) {
    return Problem{"second-phrase",
                   "second-phrase and token-ids exclude each other",
                   "The ids are the whole sequence, separators and all.",
                   {}};
  }
  if (r.phrase.empty()) return {};
  return Problem{"token-ids",
                 "token-ids and phrase exclude each other",
                 "Both say which tokens the model reads.",
                 {{"drop the phrase", "phrase", ""}}};
}

// Options that only say something about seeded weights and vectors.
MaybeProblem checkpoint_option_problem(const Request& r) {
  const char* detail = "The weights come from a checkpoint and stay as they are.";
  if (r.init_gain != 1.0) {
    return Problem{"init-gain", "init-gain is for seeded weights", detail, {{"1", "init-gain", "1"}}};
  }
  if (r.embedding != Embedding::token) {
    return Problem{"embedding", "a checkpoint has embeddings of its own", detail, {{"token", "embedding", "token"}}};
  }
  if (r.position != Position::none) {
    return Problem{"position", "a checkpoint has positions of its own", detail, {{"none", "position", "none"}}};
  }
  return {};
}

// Where queries, keys and values come from.
MaybeProblem source_problem(const Request& r) {
  if (r.second_phrase && !runs_checkpoint(r)) {
    return Problem{"second-phrase",
                   "second-phrase needs a model that reads pairs",
                   "Only a checkpoint's tokenizer joins two texts; keys from another text are key-phrase.",
                   {}};
  }
  if (is_attention_alone(r)) {
    for (const auto& [option, path] : {std::pair{"query", &r.query}, {"key", &r.key}, {"value", &r.value}}) {
      if (path->empty()) {
        return Problem{option,
                       fmt::format("{} is missing", option),
                       "Attention alone needs query, key and value, each a file [batch, heads, len, head_dim].",
                       {}};
      }
    }
    const char* detail = "Attention alone starts from query, key and value; it reads no phrase, input or weights.";
    if (!r.phrase.empty()) return both_given("phrase", "query", detail);
    if (r.key_phrase) return Problem{"key-phrase", "key-phrase and key exclude each other", detail, {}};
    if (!r.token_ids.empty()) return Problem{"token-ids", "token-ids and query exclude each other", detail, {}};
    if (!r.input.empty()) return both_given("input", "query", detail);
    if (!r.key_input.empty()) return both_given("key-input", "key", detail);
    if (!r.value_input.empty()) return both_given("value-input", "value", detail);
    if (!r.weights.empty()) return both_given("weights", "query", detail);
    if (r.input_dim) return Problem{"input-dim", "attention alone has no input", detail, {}};
    return {};
  }
  if (runs_capture(r)) return {};
  if (runs_checkpoint(r)) return checkpoint_source_problem(r);
  const char* one_source = "The queries come either from words or from a file of vectors.";
  if (!r.phrase.empty() && !r.input.empty()) return both_given("phrase", "input", one_source);
  if (!r.token_ids.empty()) {
    const char* option = "token-ids";
    if (!r.phrase.empty()) return Problem{option, "token-ids and phrase exclude each other", one_source, {}};
    return Problem{option,
                   "token-ids need a model with a vocabulary",
                   "Seeded weights and single layers know words, not ids. Use phrase or input, or name a model.",
                   {}};
  }
  if (r.key_phrase && !r.input.empty()) {
    return Problem{"key-phrase",
                   "key-phrase and input exclude each other",
                   "With vectors from a file the keys come from a file too: use key-input.",
                   {}};
  }
  if (r.key_phrase && !r.key_input.empty()) {
    return Problem{"key-phrase",
                   "key-phrase and key-input exclude each other",
                   "The keys and values come either from words or from a file of vectors.",
                   {}};
  }
  if (!r.value_input.empty() && r.key_input.empty()) {
    return Problem{"value-input",
                   "value-input without key-input",
                   "Values belong to keys: give key-input too, of the same length.",
                   {}};
  }
  if (!r.key_input.empty() && !r.phrase.empty()) {
    return Problem{"key-input",
                   "key-input and phrase exclude each other",
                   "With vectors from a file the queries come from a file too: use input.",
                   {}};
  }
  if (r.input.empty()) {
    if (MaybeProblem problem = text_problem("phrase", "the phrase", r.phrase)) return problem;
  }
  if (r.key_phrase) return text_problem("key-phrase", "the key phrase", *r.key_phrase);
  return {};
}

MaybeProblem model_problem(const Request& r) {
  if (r.model != "seeded" && (!r.weights.empty() || is_attention_alone(r))) {
    const char* other = r.weights.empty() ? "query" : "weights";
    return Problem{"model",
                   fmt::format("model and {} exclude each other", other),
                   fmt::format("model says {}, and {} names a file: only one of them can be used.", r.model, other),
                   {{"use seeded", "model", "seeded"}}};
  }
  if (r.model.empty()) {
    return Problem{"model",
                   "the model has no name",
                   "It is seeded, demo:NAME, a checkpoint folder or a capture.",
                   {{"seeded", "model", "seeded"}}};
  }
  if (runs_capture(r)) return capture_problem(r);
  if (runs_checkpoint(r)) return checkpoint_option_problem(r);
  if (r.layer && *r.layer != 0) {
    return Problem{"layer",
                   fmt::format("there is no layer {}", *r.layer),
                   "This model has one layer, number 0.",
                   {{"0", "layer", "0"}}};
  }
  if (!r.weights.empty() && r.init_gain != 1.0) {
    return Problem{"init-gain",
                   "init-gain is for seeded weights",
                   "The weights come from a file and stay as they are.",
                   {{"1", "init-gain", "1"}}};
  }
  return {};
}

MaybeProblem mask_problem(const Request& r) {
  for (const MaskTerm& term : r.mask) {
    if (term.kind == MaskTerm::Kind::file && term.path.empty()) {
      return Problem{"mask", "the mask file has no name", "Give the path of a .npy or .csv file.", {}};
    }
    const MaskTermInfo& info = mask_term_info(term.kind);
    if (info.takes_number() && term.size < 0) {
      return Problem{"mask",
                     fmt::format("{} is negative", spelled(term)),
                     fmt::format("It counts {}: 0 or more.", info.counts),
                     {}};
    }
  }
  const bool below = r.mask_fill == -std::numeric_limits<double>::infinity();
  if (!below && !(std::abs(r.mask_fill) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    return Problem{"mask-fill",
                   fmt::format("{} cannot fill hidden cells", r.mask_fill),
                   "It is -inf, or a number that a float32 holds.",
                   {{"-inf", "mask-fill", "-inf"}, {"-1e20", "mask-fill", "-1e20"}}};
  }
  if (r.softcap && r.mask_order == MaskOrder::before_scale) {
    return Problem{"softcap",
                   "softcap needs the mask after scaling",
                   "The cap comes after scaling and before the mask; with before-scale that order cannot be.",
                   {{"mask after scaling", "mask-order", "after-scale"}, {"softcap off", "softcap", "off"}}};
  }
  // The model's own mask is known when it is open.
  if (has_variant(r, Variant::mask_inverted) && r.mask.empty() && !any_painted(r) && !runs_checkpoint(r)) {
    return Problem{
        "variant", "mask-inverted has no mask to invert", "Choose a mask first.", {{"causal", "mask", "causal"}}};
  }
  return {};
}

MaybeProblem score_problem(const Request& r) {
  if (r.scale && !std::isfinite(*r.scale)) {
    return Problem{"scale",
                   "the scale is not a finite number",
                   "It multiplies every score; auto is 1/√head_dim.",
                   {{"auto", "scale", "auto"}}};
  }
  if (r.softcap && !(std::isfinite(*r.softcap) && *r.softcap > 0)) {
    return Problem{"softcap",
                   fmt::format("a softcap of {} caps nothing", *r.softcap),
                   "It is a positive number: scores stay between -C and C.",
                   {{"50", "softcap", "50"}}};
  }
  if (!(r.dropout >= 0 && r.dropout <= 1)) {
    return Problem{"dropout",
                   fmt::format("{} is not a probability", r.dropout),
                   "It lies between 0 and 1.",
                   {{"0", "dropout", "0"}, {"0.1", "dropout", "0.1"}}};
  }
  const bool no_scale = has_variant(r, Variant::no_scale);
  const bool by_width = has_variant(r, Variant::scale_by_d_model);
  if (no_scale && by_width) {
    return Problem{"variant", "no-scale and scale-by-d-model exclude each other", "Choose one of them.", {}};
  }
  if (r.scale && (no_scale || by_width)) {
    return Problem{"scale",
                   fmt::format("scale and {} exclude each other", no_scale ? "no-scale" : "scale-by-d-model"),
                   "The variant says how scores are scaled; leave scale at auto.",
                   {{"auto", "scale", "auto"}}};
  }
  if (has_variant(r, Variant::qkv_blocked_as_per_head) && has_variant(r, Variant::qkv_per_head_as_blocked)) {
    return Problem{"variant",
                   "qkv-blocked-as-per-head and qkv-per-head-as-blocked exclude each other",
                   "The rows of the file lie one way only.",
                   {}};
  }
  for (const LayerHead& place : ablated_heads(r)) {
    if (place.layer != 0 && !runs_checkpoint(r) && !runs_capture(r)) {
      return Problem{"ablate",
                     fmt::format("there is no layer {}", place.layer),
                     "This model has one layer, number 0.",
                     {{fmt::format("0.{}", std::max<std::int64_t>(0, place.head)), "ablate",
                       fmt::format("0.{}", std::max<std::int64_t>(0, place.head))}}};
    }
    if (is_seeded(r)) {
      if (auto problem = ablate_problem(place.head, r.heads.value_or(kDefaultHeads), 0)) return problem;
    } else if (place.head < 0) {
      return Problem{"ablate", fmt::format("there is no head {}", place.head), "Heads count from 0.", {}};
    }
  }
  return {};
}

MaybeProblem first_problem(const Request& request) {
  for (const auto check : {model_problem, source_problem, size_problem, divisibility_problem, mask_problem,
                           score_problem, seeded_memory_problem}) {
    if (MaybeProblem problem = check(request)) return problem;
  }
  return {};
}

// What is offered runs, or at least leaves only a problem of another option.
bool helps(const Request& request, const Problem& problem, const Suggestion& suggestion) {
  const RequestOption* option = find_request_option(suggestion.option);
  HEADSCOPE_ASSERT(option != nullptr, suggestion.option);
  Request changed = request;
  option->set(changed, suggestion.value);
  const MaybeProblem left = first_problem(changed);
  return !left || left->option != problem.option;
}

}  // namespace

std::optional<Problem> find_problem(const Request& request) {
  MaybeProblem problem = first_problem(request);
  if (problem) {
    std::erase_if(problem->suggestions, [&](const Suggestion& each) { return !helps(request, *problem, each); });
  }
  return problem;
}

std::string one_line(const Problem& problem) {
  std::string text = fmt::format("--{}: {}. {}", problem.option, problem.title, problem.detail);
  if (!problem.suggestions.empty()) {
    text += problem.detail.ends_with(':') ? " " : " Try: ";
    for (std::size_t i = 0; i < problem.suggestions.size(); ++i) {
      text += (i > 0 ? ", " : "") + problem.suggestions[i].label;
    }
    text += ".";
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

}  // namespace headscope

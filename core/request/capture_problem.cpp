// find_problem of a request whose model is a capture.
#include <fmt/format.h>

#include "core/request/intervention_kinds.h"
#include "core/request/mask_terms.h"
#include "core/request/problem_checks.h"

namespace headscope {

std::optional<Problem> capture_problem(const Request& r) {
  const char* detail = "A capture holds attention that was computed elsewhere; a phrase names its tokens.";
  if (!r.token_ids.empty()) return Problem{"token-ids", "token-ids and a capture exclude each other", detail, {}};
  if (auto problem = decoder_problem(r, "a capture")) return problem;
  for (const auto& [option, given] : {std::pair{"input", !r.input.empty()},
                                      {"key-input", !r.key_input.empty()},
                                      {"value-input", !r.value_input.empty()},
                                      {"input-dim", r.input_dim.has_value()},
                                      {"dropout-mask", !r.dropout_mask.empty()}}) {
    if (given) return Problem{option, fmt::format("{} and a capture exclude each other", option), detail, {}};
  }
  const char* fixed =
      "Its numbers are what somebody else computed. Heads can be switched off; nothing else is changed.";
  std::optional<Problem> changed;
  visit_for_faults(r, [&](const auto& kind, const auto& list) {
    if (changed || kind.effect == InterventionEffect::heads || !any_on(list)) return;
    const char* option = kind.option.name;
    changed =
        Problem{option, fmt::format("{} and a capture exclude each other", option), fixed, {{"none", option, "none"}}};
  });
  if (changed) return changed;
  const Request plain;
  const char* seeded = "A capture holds what was computed; nothing is drawn.";
  if (r.init_gain != plain.init_gain) {
    return Problem{"init-gain", "init-gain is for seeded weights", seeded, {{"1", "init-gain", "1"}}};
  }
  if (r.embedding != plain.embedding) {
    return Problem{"embedding", "embedding is for seeded vectors", seeded, {{"token", "embedding", "token"}}};
  }
  if (r.position != plain.position) {
    return Problem{"position", "position is for seeded vectors", seeded, {{"none", "position", "none"}}};
  }
  for (const MaskTerm& term : r.mask) {
    if (term.kind == MaskTerm::Kind::file) {
      return Problem{"mask",
                     "a capture takes no mask file",
                     fmt::format("Use {}.", mask_term_spellings(" or ")),
                     {{"none", "mask", "none"}}};
    }
  }
  return {};
}

}  // namespace headscope

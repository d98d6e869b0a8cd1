#include "core/diagnose/mistake_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/attention/score_rule_of.h"
#include "core/request/mask.h"

namespace headscope {
namespace {

// Whether 1 in the mask hides: the mask as code holds it.
bool ones_hide(const Request& request) {
  return request.mask_kind == MaskKind::hide || request.mask_kind == MaskKind::key_hide;
}

// Whether the mask is added: a file of numbers that is read as such.
bool is_added(const Request& request, const Inputs& inputs) {
  if (request.mask_kind != MaskKind::automatic) return request.mask_kind == MaskKind::additive;
  return std::any_of(inputs.mask_files.begin(), inputs.mask_files.end(),
                     [](const MaskFile& file) { return !file.is_whole; });
}

// A model may have a scale of its own, without an option that says so.
std::string scale_words(const Request& request, const Inputs& inputs) {
  const double scale = scale_of(request, inputs), usual = 1 / std::sqrt(static_cast<double>(inputs.head_dim));
  return std::abs(scale - usual) <= 1e-9 * usual ? "/ math.sqrt(head_dim)" : fmt::format("* {:g}", scale);
}

std::string fill_words(const Request& request, const Inputs&) {
  if (std::isinf(request.mask_fill)) return request.mask_fill < 0 ? "-inf" : "inf";
  return fmt::format("{:g}", request.mask_fill);
}

std::string hiding(const Request& request, const Inputs& inputs, bool other) {
  return fmt::format("scores.masked_fill({}mask, {})", ones_hide(request) == other ? "~" : "",
                     fill_words(request, inputs));
}

std::string hide_words(const Request& request, const Inputs& inputs) {
  return hiding(request, inputs, false);
}
std::string other_words(const Request& request, const Inputs& inputs) {
  return hiding(request, inputs, true);
}
std::string mask_words(const Request& request, const Inputs& inputs) {
  return is_added(request, inputs) ? "scores + mask" : hiding(request, inputs, false);
}

std::string corner(CausalAlign align) {
  return align == CausalAlign::top_left ? "torch.tril(torch.ones(Q, K))" : "torch.tril(torch.ones(Q, K), K - Q)";
}
std::string corner_words(const Request& request, const Inputs&) {
  return corner(request.causal_align);
}
std::string other_corner_words(const Request& request, const Inputs&) {
  return corner(request.causal_align == CausalAlign::top_left ? CausalAlign::bottom_right : CausalAlign::top_left);
}

std::string ordered(const Request& request, const Inputs& inputs, bool scale_first) {
  const std::string scale = scale_words(request, inputs);
  return scale_first ? fmt::format("scores {} + mask", scale) : fmt::format("(scores + mask) {}", scale);
}
std::string order_words(const Request& request, const Inputs& inputs) {
  return ordered(request, inputs, request.mask_order == MaskOrder::after_scale);
}
std::string other_order_words(const Request& request, const Inputs& inputs) {
  return ordered(request, inputs, request.mask_order != MaskOrder::after_scale);
}

std::string row_words(const Request& request, const Inputs&) {
  switch (request.fully_masked) {
    case FullyMasked::zero:
      return "weights.nan_to_num(0)";
    case FullyMasked::uniform:
      return "torch.where(visible.any(-1, keepdim=True), weights, 1 / K)";
    case FullyMasked::as_computed:
      break;
  }
  return "weights";
}

// A row gives what a word in braces becomes.
struct Word {
  std::string_view name;
  std::string (*words)(const Request&, const Inputs&);
};
constexpr Word kWords[] = {{"{scale}", scale_words},
                           {"{fill}", fill_words},
                           {"{hide}", hide_words},
                           {"{keep}", other_words},
                           {"{mask}", mask_words},
                           {"{corner}", corner_words},
                           {"{other corner}", other_corner_words},
                           {"{order}", order_words},
                           {"{other order}", other_order_words},
                           {"{rows}", row_words}};

std::string line_of(std::string_view line, const Request& request, const Inputs& inputs) {
  std::string text(line);
  for (const Word& word : kWords) {
    for (std::size_t at = text.find(word.name); at != std::string::npos; at = text.find(word.name, at)) {
      const std::string said = word.words(request, inputs);
      text.replace(at, word.name.size(), said);
      at += said.size();
    }
  }
  return text;
}

}  // namespace

MistakeCode code_of(const MistakeRow& row, const Request& request, const Inputs& inputs) {
  return {std::string(row.name), line_of(row.wrong, request, inputs), line_of(row.right, request, inputs)};
}

}  // namespace headscope

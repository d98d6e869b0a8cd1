#include "core/request/shown_options.h"

#include <string>

#include "core/request/option_scope.h"
#include "core/request/option_text.h"
#include "core/request/word_option.h"

namespace headscope {
namespace {

using R = Request;

constexpr Word<GroupBy> kGroups[] = {{GroupBy::words, "words"}, {GroupBy::pieces, "pieces"}};
constexpr Word<HideTokens> kHideTokens[] = {
    {HideTokens::special, "special"}, {HideTokens::first, "first"}, {HideTokens::none, "none"}};
constexpr Word<Weighting> kWeightings[] = {{Weighting::weights, "weights"}, {Weighting::value_norm, "value-norm"}};

void set_renormalise(R& request, const std::string& text) {
  if (text != "on" && text != "off") refuse_value("renormalise", text, "on or off", "on or off");
  request.renormalise = text == "on";
}

void set_top_p(R& request, const std::string& text) {
  const double share = parse_finite("top-p", text, "a share above 0, at most 1");
  if (!(share > 0 && share <= 1)) refuse_value("top-p", text, "a share of a row", "a number above 0, at most 1");
  request.top_p = share;
}

}  // namespace

std::vector<RequestOption> shown_options() {
  return {
      word_option<"groups", &R::groups, kGroups>(
          "words|pieces", "Weights as shown, exported and measured: pieces of a word as one, or each piece (pieces).",
          kChangesNothing, kActsOnAll),
      word_option<"hide-tokens", &R::hide_tokens, kHideTokens>(
          "special|first|none",
          "Of weights as shown: keys whose columns are left out (none). special: [CLS], <s> and the like, class token "
          "and "
          "registers of an image.",
          kChangesNothing, kActsOnAll),
      {"renormalise", "", "Of weights as shown: rows are divided by their sums.",
       [](const R& r) { return std::string(r.renormalise ? "on" : ""); }, set_renormalise, false, kChangesNothing,
       kActsOnAll},
      word_option<"weighting", &R::weighting, kWeightings>(
          "weights|value-norm", "Of weights as shown: times the length of the key's value, before W_O (weights).",
          kChangesNothing, kActsOnAll),
      {"top-p", "P", "Of weights as shown: the largest of each row that hold P of it; the others are 0 (1).",
       [](const R& r) { return r.top_p == 1 ? std::string() : double_text(r.top_p); }, set_top_p, true, kChangesNothing,
       kActsOnAll},
  };
}

}  // namespace headscope

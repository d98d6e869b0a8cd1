#include "core/heads/showing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/request/request_text.h"

namespace headscope {

Showing showing_of(const Request& request) {
  return {request.groups, request.hide_tokens, request.renormalise, request.weighting, request.top_p};
}

Showing without_weighting(Showing view) {
  view.weighting = Weighting::weights;
  return view;
}

std::string showing_sentence(const Showing& view, bool special_keys) {
  std::vector<std::string> parts;
  if (view.weighting == Weighting::value_norm) parts.emplace_back("weights times the lengths of their values");
  if (view.groups == GroupBy::words) parts.emplace_back("pieces of a word: sum over keys, mean over queries");
  if (view.hide_tokens == HideTokens::special) {
    parts.emplace_back(special_keys ? "columns of special tokens hidden"
                                    : "no key is known as a special token, so no column is hidden");
  }
  if (view.hide_tokens == HideTokens::first) parts.emplace_back("column of the first token hidden");
  if (view.top_p != 1) parts.push_back(fmt::format("the largest of a row up to {} of it, others 0", view.top_p));
  if (view.renormalise) parts.emplace_back("rows divided by their sums");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<SaidOption> said_showing(const Request& request) {
  std::vector<SaidOption> said;
  for (const char* name : {"groups", "hide-tokens", "renormalise", "weighting", "top-p"}) {
    const RequestOption* option = find_request_option(name);
    HEADSCOPE_ASSERT(option != nullptr, name);
    if (is_given(*option, request)) said.push_back({name, option->get(request)});
  }
  return said;
}

void refuse_showing(const Request& request, const std::string& what) {
  const std::vector<SaidOption> said = said_showing(request);
  if (said.empty()) return;
  const auto& [option, value] = said.front();
  const char* plain = option == "groups"        ? "pieces"
                      : option == "hide-tokens" ? "none"
                      : option == "weighting"   ? "weights"
                      : option == "top-p"       ? "1"
                                                : "no such option";
  throw UsageError(
      option, fmt::format("found {} with {}, which is about the weights as they were computed", value, what), plain);
}

}  // namespace headscope

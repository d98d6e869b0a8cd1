#include "app/session/former_showing.h"

#include <nlohmann/json.hpp>

#include "app/session/json_reader.h"
#include "core/heads/showing.h"

namespace headscope {

void take_former_showing(const std::string& window, Request& request) {
  if (window.empty() || showing_of(request).changes_something()) return;
  const JsonReader outer(window);
  const nlohmann::json* layers = outer.find("layers");
  if (layers == nullptr || !layers->is_object()) return;
  const JsonReader reader(layers->dump());
  bool special = false, first = false, renormalise = false, words = false;
  reader.read("hide_special", special);
  reader.read("hide_first", first);
  reader.read("renormalize", renormalise);
  reader.read("merge_words", words);
  if (first) request.hide_tokens = HideTokens::first;
  if (special) request.hide_tokens = HideTokens::special;
  request.renormalise = renormalise && (special || first);  // without hidden columns it did nothing
  if (words) request.groups = GroupBy::words;
}

}  // namespace headscope

#include "core/generate/appended_token.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int64_t>;

// What the text of the tokens gains by the last of them; "" where it does not only grow.
std::string gained_text(const Tokenizer& tokenizer, const Ids& before, const Ids& after) {
  try {
    const std::string shorter = tokenizer.decode(before), longer = tokenizer.decode(after);
    return longer.starts_with(shorter) ? longer.substr(shorter.size()) : "";
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

Request with_ids(const Request& request, Ids ids) {
  Request result = request;
  if (has_decoder_text(request)) {
    result.decoder_phrase.reset();
    result.decoder_ids = std::move(ids);
  } else {
    result.phrase.clear();
    result.token_ids = std::move(ids);
  }
  return result;
}

Request with_appended_token(const Request& request, const Inputs& inputs, std::int64_t id) {
  Ids ids = inputs.token_ids;
  ids.push_back(id);
  Request grown = request;
  const auto tokenizer = inputs.checkpoint->tokenizer();
  if (tokenizer != nullptr && request.token_ids.empty() && !has_decoder_text(request)) {
    const std::string gained = gained_text(*tokenizer, inputs.token_ids, ids), piece = tokenizer->piece_of(id);
    for (const std::string& text : std::array{gained, piece, " " + piece}) {
      if (text.empty() || tokenizer->tokenize(request.phrase + text).ids != ids) continue;
      grown.phrase += text;
      return grown;
    }
  }
  return with_ids(request, std::move(ids));
}

bool ends_text(const Checkpoint& checkpoint, std::int64_t id) {
  const Ids& named = checkpoint.end_tokens();
  if (std::find(named.begin(), named.end(), id) != named.end()) return true;
  const auto tokenizer = checkpoint.tokenizer();
  return tokenizer != nullptr && tokenizer->special().end == id;
}

}  // namespace headscope

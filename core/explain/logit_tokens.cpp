#include "core/explain/logit_tokens.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/model/named_token.h"

namespace headscope {

std::vector<std::string> logit_token_texts(const std::string& text) {
  const char* const advice = "A token with a comma in it is named by its id";
  std::vector<std::string> texts = {""};
  for (const char letter : text) {
    if (letter == ',') {
      texts.emplace_back();
    } else {
      texts.back() += letter;
    }
  }
  if (texts.size() > 2)
    throw UsageError("token", fmt::format("found '{}'", text), "A or A,B, one or two tokens", advice);
  for (const std::string& each : texts) {
    if (each.empty())
      throw UsageError("token", fmt::format("found '{}'", text), "A or A,B, texts of tokens or ids", advice);
  }
  return texts;
}

std::vector<std::int64_t> logit_token_ids(const Checkpoint& checkpoint, const std::string& text) {
  std::vector<std::int64_t> ids;
  for (const std::string& each : logit_token_texts(text)) ids.push_back(named_token(checkpoint, "token", each));
  return ids;
}

}  // namespace headscope

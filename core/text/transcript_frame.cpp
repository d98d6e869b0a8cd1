#include "core/text/transcript_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/message_text.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary_model.h"

namespace headscope {
namespace {

std::optional<std::int64_t> id_of(const TokenizerParts& parts, std::string_view content) {
  const auto added = std::find_if(parts.added_tokens.begin(), parts.added_tokens.end(),
                                  [&](const AddedToken& token) { return token.content == content; });
  if (added != parts.added_tokens.end()) return added->id;
  return vocabulary_of(parts.model).find(content);
}

// The text of a value that may be null or missing.
std::string text_at(const JsonPart& config, const char* key) {
  const JsonPart part = config.at(key);
  return part.is(JsonValue::Kind::object) ? part.at("content").text() : part.text("");
}

}  // namespace

void add_transcript_frame(const JsonPart& config, TokenizerParts& parts) {
  if (!config.present() || !config.at("tokenizer_class").text("").starts_with("Whisper")) return;
  const auto add = [&](std::vector<PostProcessor::Special>& to, const std::string& content) {
    const auto id = id_of(parts, content);
    if (id) to.push_back({*id, content});
    return id.has_value();
  };
  PostProcessor& frame = parts.post_processor;
  if (!add(frame.before, "<|startoftranscript|>")) return;
  const std::string language = text_at(config, "language"), task = text_at(config, "task");
  if (!language.empty() && !add(frame.before, "<|" + language + "|>")) {
    throw UnknownTokenizer(
        fmt::format("{}: found the language {}; expected the code of one that the vocabulary has, "
                    "as en of <|en|>",
                    config.where(), in_quotes(language)));
  }
  if (!task.empty()) add(frame.before, "<|" + task + "|>");
  if (!config.at("predict_timestamps").flag(false)) add(frame.before, "<|notimestamps|>");
  const std::string end = text_at(config, "eos_token");
  add(frame.after, end.empty() ? "<|endoftext|>" : end);
}

}  // namespace headscope

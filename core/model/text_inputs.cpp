#include "core/model/text_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

// A model without token types, or with one, gives every token the same, whatever its tokenizer says (RoBERTa's).
void read_types(const Request& request, const Checkpoint& checkpoint, std::vector<std::int64_t> types, Inputs& inputs) {
  const std::int64_t known = checkpoint.architecture().token_types;
  if (known <= 1) return;
  const auto beyond = std::find_if(types.begin(), types.end(), [known](std::int64_t type) { return type >= known; });
  if (beyond != types.end()) {
    throw Error(fmt::format("{}: its tokenizer gives \"{}\" the type {}, but config.json says {} types", request.model,
                            inputs.tokens[static_cast<std::size_t>(beyond - types.begin())], *beyond, known));
  }
  inputs.token_types = std::move(types);
}

bool is_limited(const Architecture& architecture) {
  return architecture.position != Architecture::Position::none;
}

// A text of which the beginning alone has too many tokens is refused without making them all: they would take forty
// times its memory.
void refuse_long_text(const Request& request, const Architecture& architecture, const Tokenizer& tokenizer) {
  constexpr std::size_t kBeginning = std::size_t{1} << 18;
  constexpr std::int64_t kMarks = 8;  // a tokenizer adds at most so many at the beginning and the end
  if (!is_limited(architecture) || request.phrase.size() <= 2 * kBeginning) return;
  std::size_t end = kBeginning;
  while (end > 0 && (static_cast<unsigned char>(request.phrase[end]) & 0xC0) == 0x80) --end;
  const Tokens tokens = tokenizer.tokenize(std::string_view(request.phrase).substr(0, end));
  if (static_cast<std::int64_t>(tokens.pieces.size()) <= architecture.max_positions + kMarks) return;
  throw UsageError("phrase", fmt::format("these are more than {} tokens, but {} takes at most {}",
                                         architecture.max_positions, request.model, architecture.max_positions));
}

// Of a text. Its ids are the folder's own business: one beyond the vocabulary is the folder's fault.
void read_phrase(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  if (tokenizer == nullptr) {
    throw UsageError("phrase", checkpoint.no_tokenizer_sentence(),
                     fmt::format("--token-ids, ids of its vocabulary of {}", checkpoint.architecture().vocab_size));
  }
  if (request.second_phrase && !tokenizer->knows_pairs()) {
    throw UsageError("second-phrase", fmt::format("the tokenizer of {} joins no pairs", request.model),
                     "a model that reads two texts, such as BERT");
  }
  refuse_long_text(request, checkpoint.architecture(), *tokenizer);
  Tokens tokens = request.second_phrase ? tokenizer->tokenize_pair(request.phrase, *request.second_phrase)
                                        : tokenizer->tokenize(request.phrase);
  inputs.tokens = std::move(tokens.pieces);
  inputs.token_ids = std::move(tokens.ids);
  inputs.offsets = std::move(tokens.offsets);
  inputs.words = std::move(tokens.words);
  if (request.second_phrase) {
    const auto second = std::find(tokens.texts.begin(), tokens.texts.end(), 1);
    if (second == tokens.texts.end()) {
      throw UsageError("second-phrase", fmt::format("{} makes no token of it", request.model), "at least one");
    }
    inputs.second_begin = second - tokens.texts.begin();
    read_types(request, checkpoint, std::move(tokens.types), inputs);
  }
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  for (std::size_t i = 0; i < inputs.token_ids.size(); ++i) {
    if (0 <= inputs.token_ids[i] && inputs.token_ids[i] < vocabulary) continue;
    throw Error(fmt::format("{}: its tokenizer gives \"{}\" the id {}, but config.json says a vocabulary of {}",
                            request.model, inputs.tokens[i], inputs.token_ids[i], vocabulary));
  }
}

void read_ids(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  inputs.token_ids = request.token_ids;
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  for (const std::int64_t id : inputs.token_ids) {
    if (0 <= id && id < vocabulary) continue;
    throw UsageError("token-ids", fmt::format("{} is not in the vocabulary of {}", id, request.model),
                     fmt::format("ids from 0 to {}", vocabulary - 1));
  }
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  for (const std::int64_t id : inputs.token_ids) {
    inputs.tokens.push_back(tokenizer == nullptr ? std::to_string(id) : tokenizer->piece_of(id));
  }
  inputs.words = words_of_ids(inputs.token_ids, tokenizer.get());
}

}  // namespace

void read_text(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  request.token_ids.empty() ? read_phrase(request, checkpoint, inputs) : read_ids(request, checkpoint, inputs);
}

std::vector<std::int64_t> words_of_ids(const std::vector<std::int64_t>& ids, const Tokenizer* tokenizer) {
  if (tokenizer == nullptr) return {};
  const SpecialTokens special = tokenizer->special();
  const std::initializer_list<std::optional<std::int64_t>> roles = {
      special.mask, special.begin, special.end, special.pad, special.separator, special.classifier};
  std::vector<std::int64_t> words;
  for (const std::int64_t id : ids) {
    // A vocabulary may have one token for all roles, as GPT-2's has.
    const bool unknown = special.unknown == id && std::find(roles.begin(), roles.end(), id) == roles.end();
    words.push_back(special.is_special(id) && !unknown ? -1 : std::ssize(words));
  }
  return words;
}

void check_text_len(const Request& request, const char* option, const Inputs& inputs) {
  const Architecture& architecture = inputs.checkpoint->architecture();
  const auto len = static_cast<std::int64_t>(inputs.token_ids.size());
  if (len == 0) throw UsageError(option, fmt::format("{} makes no token of it", request.model), "at least one");
  if (is_limited(architecture) && len > architecture.max_positions) {
    throw UsageError(option, fmt::format("these are {} tokens, but {} takes at most {}", len, request.model,
                                         architecture.max_positions));
  }
}

}  // namespace headscope

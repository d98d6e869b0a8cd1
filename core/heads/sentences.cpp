#include "core/heads/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/request/request_text.h"

namespace headscope {

namespace {

constexpr std::array<std::pair<SentencePair, std::string_view>, 5> kNames = {{{SentencePair::all, "all"},
                                                                              {SentencePair::a_to_a, "a-a"},
                                                                              {SentencePair::a_to_b, "a-b"},
                                                                              {SentencePair::b_to_a, "b-a"},
                                                                              {SentencePair::b_to_b, "b-b"}}};

bool is_separator(std::string_view token) {
  return token == "[SEP]" || token == "</s>";
}

bool is_padding(std::string_view token) {
  return token == "[PAD]" || token == "<pad>";
}

}  // namespace

std::string_view sentence_pair_name(SentencePair pair) {
  for (const auto& [known, name] : kNames) {
    if (known == pair) return name;
  }
  return "";
}

std::optional<SentencePair> sentence_pair_named(std::string_view name) {
  for (const auto& [pair, known] : kNames) {
    if (known == name) return pair;
  }
  return std::nullopt;
}

std::optional<std::int64_t> second_part(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  if (inputs.query_len != inputs.key_len || inputs.tokens != inputs.key_tokens) return std::nullopt;
  if (inputs.second_begin > 0) return inputs.second_begin;
  const auto& types = inputs.token_types;
  const auto change =
      std::find_if(types.begin(), types.end(), [&](std::int64_t type) { return type != types.front(); });
  if (change != types.end()) return change - types.begin();
  const auto& tokens = inputs.tokens;
  auto at = std::find_if(tokens.begin(), tokens.end(), is_separator);
  if (at == tokens.begin()) return std::nullopt;  // also without tokens
  while (at != tokens.end() && is_separator(*at)) ++at;
  const bool more = std::any_of(at, tokens.end(),
                                [](const std::string& token) { return !is_separator(token) && !is_padding(token); });
  if (!more) return std::nullopt;
  return at - tokens.begin();
}

ArcRegion arc_region(const Trace& trace, SentencePair pair) {
  const Range queries{0, trace.query_len()}, keys{0, trace.key_len()};
  if (pair == SentencePair::all) return {queries, keys};
  const auto second = second_part(trace);
  if (!second) {
    throw UsageError(
        "sentences",
        fmt::format(
            "found '{}'; this text has one part: expected all, or tokens of two types, or a [SEP] between two parts",
            sentence_pair_name(pair)));
  }
  const bool from_a = pair == SentencePair::a_to_a || pair == SentencePair::a_to_b;
  const bool to_a = pair == SentencePair::a_to_a || pair == SentencePair::b_to_a;
  return {from_a ? Range{0, *second} : Range{*second, queries.end},
          to_a ? Range{0, *second} : Range{*second, keys.end}};
}

}  // namespace headscope

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/text/each_step.h"
#include "core/text/tokenizer_json.h"

namespace headscope {

namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kLongestContent = 1000;

// A text that takes the place of another: short, or a file could make any phrase fill the memory.
std::string content_of(const JsonPart& part) {
  std::string text = part.text();
  if (text.size() > kLongestContent) part.refuse("at most 1000 bytes");
  return text;
}

// {"String": "..."} or {"Regex": "..."}
template <typename Step>
void read_pattern(const JsonPart& part, Step& step) {
  if (part.is(Kind::string)) {
    step.text = part.text();
  } else if (part.at("Regex").present()) {
    step.pattern.emplace(part.at("Regex").text(), part.at("Regex").where());
  } else if (part.at("String").present()) {
    step.text = part.at("String").text();
  } else {
    part.refuse("{\"String\": ...} or {\"Regex\": ...}");
  }
}

template <typename Step>
Step with_pattern(const JsonPart& part) {
  Step step;
  read_pattern(part.at("pattern"), step);
  step.content = content_of(part.at("content"));
  return step;
}

SplitBehavior behavior_of(const JsonPart& part) {
  static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> behaviors = {
      {{"Isolated", SplitBehavior::isolated},
       {"Removed", SplitBehavior::removed},
       {"Contiguous", SplitBehavior::contiguous},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next}}};
  const std::string& name = part.text();
  const auto found =
      std::find_if(behaviors.begin(), behaviors.end(), [&](const auto& one) { return one.first == name; });
  if (found == behaviors.end()) part.refuse("Isolated, Removed, Contiguous, MergedWithPrevious or MergedWithNext");
  return found->second;
}

std::string metaspace_of(const JsonPart& part) {
  std::string replacement = part.at("replacement").text("\xE2\x96\x81");
  if (replacement.empty() || replacement.size() > 4) part.at("replacement").refuse("one character");
  return replacement;
}

MetaspaceSplit read_metaspace(const JsonPart& part) {
  MetaspaceSplit step;
  step.replacement = metaspace_of(part);
  step.split = part.at("split").flag(true);
  using Prepend = MetaspaceSplit::Prepend;
  const JsonPart scheme = part.at("prepend_scheme");
  if (!scheme.present()) {
    step.prepend = part.at("add_prefix_space").flag(true) ? Prepend::always : Prepend::never;
  } else if (scheme.text() == "always" || scheme.text() == "never") {
    step.prepend = scheme.text() == "always" ? Prepend::always : Prepend::never;
  } else if (scheme.text() == "first") {
    step.prepend = Prepend::first;
  } else {
    scheme.refuse("always, first or never");
  }
  return step;
}

NormalizerStep normalizer_step(const JsonPart& part) {
  const JsonPart type = part.at("type");
  const std::string& name = type.text();
  if (name == "NFC") return NormalFormStep{NormalForm::nfc};
  if (name == "NFD") return NormalFormStep{NormalForm::nfd};
  if (name == "NFKC") return NormalFormStep{NormalForm::nfkc};
  if (name == "NFKD") return NormalFormStep{NormalForm::nfkd};
  if (name == "Lowercase") return LowercaseStep{};
  if (name == "StripAccents") return StripAccentsStep{};
  if (name == "ByteLevel") return ByteLevelStep{};
  if (name == "Nmt") return NmtStep{};
  if (name == "Strip") return StripStep{part.at("strip_left").flag(true), part.at("strip_right").flag(true)};
  if (name == "Prepend") return PrependStep{content_of(part.at("prepend"))};
  if (name == "Replace") return with_pattern<ReplaceStep>(part);
  if (name == "Precompiled") {
    const JsonPart map = part.at("precompiled_charsmap");
    return PrecompiledMap(map.text(""), map.where());
  }
  if (name == "BertNormalizer") {
    BertStep step;
    step.clean_text = part.at("clean_text").flag(true);
    step.handle_chinese_chars = part.at("handle_chinese_chars").flag(true);
    step.lowercase = part.at("lowercase").flag(true);
    step.strip_accents = part.at("strip_accents").flag(step.lowercase);
    return step;
  }
  type.refuse(
      "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, Replace, Sequence, Strip "
      "or StripAccents");
}

PreTokenizerStep pre_tokenizer_step(const JsonPart& part) {
  const JsonPart type = part.at("type");
  const std::string& name = type.text();
  if (name == "BertPreTokenizer") return BertSplit{};
  if (name == "WhitespaceSplit") return WhitespaceSplit{};
  if (name == "Metaspace") return read_metaspace(part);
  if (name == "Digits") return DigitsSplit{part.at("individual_digits").flag(false)};
  if (name == "Punctuation") {
    const JsonPart behavior = part.at("behavior");
    return PunctuationSplit{behavior.present() ? behavior_of(behavior) : SplitBehavior::isolated};
  }
  if (name == "ByteLevel") {
    ByteLevelSplit step;
    step.add_prefix_space = part.at("add_prefix_space").flag(true);
    if (part.at("use_regex").flag(true)) step.pattern.emplace(kGpt2Pattern, part.where());
    return step;
  }
  PatternSplit step;
  if (name == "Whitespace") {
    // The library's own expressions, unlike those of a Split, count the two joiners among word characters.
    step.pattern.emplace(R"([\w\x{200C}\x{200D}]+|[^\w\s\x{200C}\x{200D}]+)", part.where());
    step.behavior = SplitBehavior::removed;
    step.invert = true;
    return step;
  }
  if (name == "CharDelimiterSplit") {
    step.text = part.at("delimiter").text();
    step.behavior = SplitBehavior::removed;
    return step;
  }
  if (name == "Split") {
    read_pattern(part.at("pattern"), step);
    step.behavior = behavior_of(part.at("behavior"));
    step.invert = part.at("invert").flag(false);
    return step;
  }
  type.refuse(
      "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, Metaspace, Punctuation, Sequence, Split, Whitespace or "
      "WhitespaceSplit");
}

DecoderStep decoder_step(const JsonPart& part) {
  const JsonPart type = part.at("type");
  const std::string& name = type.text();
  if (name == "ByteLevel") return ByteLevelDecoder{};
  if (name == "ByteFallback") return ByteFallbackDecoder{};
  if (name == "Fuse") return FuseDecoder{};
  if (name == "WordPiece") return WordPieceDecoder{part.at("prefix").text("##"), part.at("cleanup").flag(true)};
  if (name == "Replace") return with_pattern<ReplaceDecoder>(part);
  if (name == "BPEDecoder") return SuffixDecoder{part.at("suffix").text("</w>")};
  if (name == "Metaspace") {
    return MetaspaceDecoder{metaspace_of(part), read_metaspace(part).prepend == MetaspaceSplit::Prepend::never};
  }
  if (name == "Strip") {
    StripDecoder step{part.at("content").text(), part.at("start").integer(0, 1000), part.at("stop").integer(0, 1000)};
    if (step.content.empty()) part.at("content").refuse("one character");
    return step;
  }
  type.refuse("BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Sequence, Strip or WordPiece");
}

}  // namespace

Normalizer read_normalizer(const JsonPart& part) {
  Normalizer steps;
  each_step(part, "normalizers", [&](const JsonPart& step) { steps.push_back(normalizer_step(step)); });
  return steps;
}

PreTokenizer read_pre_tokenizer(const JsonPart& part) {
  PreTokenizer steps;
  each_step(part, "pretokenizers", [&](const JsonPart& step) { steps.push_back(pre_tokenizer_step(step)); });
  return steps;
}

Decoder read_decoder(const JsonPart& part) {
  Decoder steps;
  each_step(part, "decoders", [&](const JsonPart& step) { steps.push_back(decoder_step(step)); });
  return steps;
}

}  // namespace headscope

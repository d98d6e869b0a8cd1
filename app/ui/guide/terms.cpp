#include "app/ui/guide/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "app/ui/guide/guide_page.h"
#include "app/ui/guide/languages.h"

namespace headscope::ui {
namespace {

constexpr TermRow kTerms[] = {
    {"phrase/tokens", "token"},
    {"key_phrase/tokens", "token"},
    {"decoder_phrase/tokens", "token"},
    {"tokens_fact", "tokenizer"},
    {"request/fact/layer", "layer"},
    {"request/fact/heads", "head"},
    {"request/fact/d-model", "head width"},
    {"request/fact/mask", "mask"},
    {"request/fact/scale", "scale"},
    {"request/fact/ablate", "intervention"},
    {"inspector/entropy", "entropy"},
    {"inspector/queries", "query"},
    {"inspector/keys", "key"},
    {"pipeline/input", "input"},
    {"pipeline/key_input", "input"},
    {"pipeline/value_input", "input"},
    {"pipeline/qkv", "query"},
    {"pipeline/qkv_split", "head"},
    {"pipeline/qkv_heads", "head"},
    {"pipeline/query_proj", "query"},
    {"pipeline/key_proj", "key"},
    {"pipeline/value_proj", "value"},
    {"pipeline/query", "query"},
    {"pipeline/key", "key"},
    {"pipeline/value", "value"},
    {"pipeline/c2p", "position"},
    {"pipeline/p2c", "position"},
    {"pipeline/raw_scores", "score"},
    {"pipeline/scores", "scale"},
    {"pipeline/capped_scores", "soft cap"},
    {"pipeline/masked_scores", "mask"},
    {"pipeline/weights", "softmax"},
    {"pipeline/dropped_weights", "dropout"},
    {"pipeline/captured_weights", "weight"},
    {"pipeline/sink_weights", "sink"},
    {"pipeline/context", "context"},
    {"pipeline/concat", "concat"},
    {"pipeline/output", "output"},
    {"pipeline/attention_norm_out", "norm"},
};

}  // namespace

std::span<const TermRow> term_rows() {
  return kTerms;
}

std::string_view term_of_control(std::string_view control) {
  const auto* row =
      std::find_if(std::begin(kTerms), std::end(kTerms), [&](const TermRow& each) { return each.control == control; });
  return row == std::end(kTerms) ? std::string_view() : row->term;
}

std::string term_sentence(std::string_view term, const std::string& language) {
  const GuidePage* english = find_guide_page(kGlossary);
  const GuidePage* page = find_guide_page(kGlossary, language);
  const std::optional<std::size_t> heading = english != nullptr ? find_heading(*english, term) : std::nullopt;
  if (!heading || *heading + 1 >= page->blocks.size()) return "";
  const GuideBlock& block = page->blocks[*heading + 1];
  if (block.kind != GuideBlock::Kind::paragraph) return "";
  const std::string words = guide_words(block);
  const std::size_t end = words.find(". ");
  return end == std::string::npos ? words : words.substr(0, end + 1);
}

std::string term_tip(const Ui& ui, std::string_view control) {
  const std::string_view term = term_of_control(control);
  if (term.empty()) return "";
  const Language& language = language_of(ui);
  const std::string sentence = term_sentence(term, language.code);
  return sentence.empty() ? "" : fmt::format("{} {}", sentence, language.text("words/f1"));
}

std::string term_page(std::string_view term) {
  return fmt::format("{}#{}", kGlossary, term);
}

}  // namespace headscope::ui

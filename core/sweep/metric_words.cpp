#include "core/sweep/metric_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {
namespace {

constexpr const char* kForm = "recovered[:METRIC]";

}  // namespace

const std::vector<MetricWord>& metric_words() {
  using Kind = MetricKind;
  constexpr auto kNone = MetricReference::none;
  static const std::vector<MetricWord> words = {
      {Kind::logit, "logit:", true, true, kNone, "logit:A[-B]|logit:{A,B}-{C}",
       "the logit of a token, or less that of another; of a set in braces, {A,B}-{C}, the mean of its logits", ""},
      {Kind::probability, "prob:", true, true, kNone, "prob:A[-B]",
       "the probability of a token, or less that of another; of a set in braces the sum", ""},
      {Kind::rank, "rank:", true, true, kNone, "rank:A", "how many tokens have a larger logit than A: 0 is the first",
       "which goes in steps"},
      {Kind::loss, "loss", false, false, kNone, "loss", "the mean loss that run --predict prints, in nats", ""},
      {Kind::kl, "kl", false, true, MetricReference::unpatched, "kl",
       "the divergence of the patched distribution from the unpatched one, in nats", ""},
      {Kind::kl_clean, "kl:clean", false, true, MetricReference::clean, "kl:clean",
       "KL(clean || patched), the mean over the clean run's distribution of ln clean - ln patched, where clean is A "
       "(with "
       "an ablation the run as it was)",
       ""},
      {Kind::kl_patched, "kl:patched", false, true, MetricReference::clean, "kl:patched",
       "KL(patched || clean), the same mean over the patched run's distribution of ln patched - ln clean", ""},
      {Kind::cell, "cell:", true, false, kNone, "cell:[L/]STAGE:B,H,I,J",
       "any number of a stage (cell:1/weights:0,7,5,1; without L/ of the request's layer)",
       "whose slopes are not carried through the layers"}};
  return words;
}

const MetricWord& metric_word(MetricKind kind) {
  const std::vector<MetricWord>& words = metric_words();
  return *std::find_if(words.begin(), words.end(), [kind](const MetricWord& word) { return word.kind == kind; });
}

const MetricWord* metric_word_of(std::string_view text) {
  for (const MetricWord& word : metric_words()) {
    if (word.more ? text.starts_with(word.word) && text.size() > word.word.size() : text == word.word) return &word;
  }
  return nullptr;
}

bool spells_metric(std::string_view text) {
  if (text == kRecovered) return true;
  if (text.starts_with(kRecovered) && text.substr(kRecovered.size()).starts_with(':')) {
    text.remove_prefix(kRecovered.size() + 1);
  }
  return metric_word_of(text) != nullptr;
}

std::string metric_forms() {
  std::string text;
  for (const MetricWord& word : metric_words()) text += fmt::format("{}|", word.form);
  return text + kForm;
}

std::string metric_expected() {
  std::string text;
  for (const char letter : metric_forms()) text += letter == '|' ? std::string(", ") : std::string(1, letter);
  return text + ", where A, B and C are tokens";
}

std::string metric_help() {
  std::string text;
  for (const MetricWord& word : metric_words()) {
    const std::string_view form = word.form;
    text += fmt::format("{}: {}. ", form.substr(0, form.find('|')), word.help);
  }
  return text +
         fmt::format(
             "{}: METRIC as a share of the way from the corrupt run to the clean one, 0 at the first and 1 at the "
             "second (without METRIC: of kl:clean). Tokens are named as for attribute; A-B is split at the first "
             "dash between two tokens.",
             kForm);
}

}  // namespace headscope

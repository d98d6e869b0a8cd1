// How the metrics of sweeps are spelled: one row a metric, for every option and file that names one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

enum class MetricKind { logit, probability, rank, loss, kl, kl_clean, kl_patched, cell };

// The run whose distribution a metric is held against.
enum class MetricReference {
  none,
  unpatched,  // the run that is patched, without its patch
  clean,      // A, whose numbers are put in or replaced; with an ablation the run as it was
};

struct MetricWord {
  MetricKind kind{};
  std::string_view word;      // "logit:", "kl:clean"
  bool more = false;          // tokens or a place follow the word
  bool at_a_position = true;  // it is taken at one position of the prediction
  MetricReference against = MetricReference::none;
  const char* form = "";      // as help spells it: "logit:A[-B]"
  const char* help = "";      // a part of a sentence
  const char* no_slope = "";  // why there is no gradient of it; "": there is one
};

const std::vector<MetricWord>& metric_words();
const MetricWord& metric_word(MetricKind kind);

// The row whose word begins `text`, or is it where nothing may follow; null: there is none.
const MetricWord* metric_word_of(std::string_view text);

// "recovered" or "recovered:METRIC" around another metric.
inline constexpr std::string_view kRecovered = "recovered";

// Whether the text begins as a metric does; its tokens and places are looked at once there is a model.
bool spells_metric(std::string_view text);

std::string metric_forms();     // "logit:A[-B]|...|recovered[:METRIC]"
std::string metric_expected();  // "logit:A[-B], ... or recovered[:METRIC], where A, B and C are tokens"
std::string metric_help();      // what each of them is, a sentence each

}  // namespace headscope

#include "core/sweep/pair_sweep.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/model/checkpoint.h"
#include "core/model/inputs.h"
#include "core/model/named_token.h"
#include "core/request/problem.h"
#include "core/request/request.h"
#include "core/sweep/metric_words.h"
#include "core/sweep/sweep.h"

namespace headscope {
namespace {

constexpr std::string_view kAnswer = "answer", kOther = "other";

std::string recovered_of_pairs(const std::string& metric) {
  return metric == kRecovered ? fmt::format("{}:logit:answer-other", kRecovered) : metric;
}

bool begins_a_token(std::string_view text, std::size_t at) {
  return at > 0 && std::string_view(":{,-").find(text[at - 1]) != std::string_view::npos;
}

bool ends_a_token(std::string_view text, std::size_t at) {
  return at == text.size() || std::string_view(",}-").find(text[at]) != std::string_view::npos;
}

std::string with_token(std::string text, std::string_view word, const std::string& id) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
    if (!begins_a_token(text, at) || !ends_a_token(text, at + word.size())) {
      at += word.size();
      continue;
    }
    if (id.empty()) throw Error(fmt::format("has no {}, which the metric {} is made of", word, text));
    text.replace(at, word.size(), id);
    at += id.size();
  }
  return text;
}

class PairRuns {
 public:
  PairRuns(EngineOptions options, const PairQuestion& question, const CancelToken& cancel)
      : runner_(std::move(options)), question_(question), cancel_(cancel) {}

  Sweep run(const TextPair& pair) {
    SweepQuestion asked = question_.sweep;
    asked.by_place = true;
    asked.source = with_text(asked.patched, pair.clean);
    asked.patched = with_text(asked.patched, pair.corrupt);
    if (asked.direction == SweepDirection::noise) std::swap(asked.patched, asked.source);
    settle(pair, asked);
    try {
      return runner_.run(asked, cancel_);
    } catch (const UsageError& error) {
      // What a pair cannot do that another could is the file's fault; what the first cannot may be the question's.
      if (&pair != &question_.pairs.front()) refuse(pair, error.what());
      throw UsageError(error.option(), fmt::format("{} (line {} of {})", error.found(), pair.line, question_.file),
                       error.expected(), error.advice());
    }
  }

 private:
  [[noreturn]] void refuse(const TextPair& pair, const std::string& sentence) const {
    throw Error(fmt::format("{}: line {}: {}", question_.file, pair.line, sentence));
  }

  static Request with_text(Request request, const std::string& text) {
    request.phrase = text;
    return request;
  }

  // Its tokens and its place; both texts are read.
  void settle(const TextPair& pair, SweepQuestion& asked) {
    try {
      const std::shared_ptr<const Inputs> patched = runner_.read(asked.patched, cancel_),
                                          source = runner_.read(asked.source, cancel_);
      if (patched->tokens.size() != source->tokens.size()) {
        const bool noise = asked.direction == SweepDirection::noise;
        refuse(pair, fmt::format("found {} tokens in clean and {} in corrupt; expected the same number",
                                 (noise ? patched : source)->tokens.size(), (noise ? source : patched)->tokens.size()));
      }
      const auto id_of = [&](const std::string& token) {
        return token.empty() ? "" : std::to_string(named_token(*patched->checkpoint, "pairs", token));
      };
      if (pair.at) {
        const auto len = static_cast<std::int64_t>(patched->tokens.size());
        asked.at = counted_from_end(*pair.at, len);
        if (*asked.at < 0 || *asked.at >= len) {
          refuse(pair, fmt::format("found position {}, but there are {} tokens; expected {}", *pair.at, len,
                                   places_text(len)));
        }
      }
      asked.metric = named(pair, id_of(pair.answer), id_of(pair.other));
    } catch (const UsageError& error) {
      refuse(pair, error.what());
    } catch (const ProblemError& error) {
      refuse(pair, error.what());
    }
  }

  std::string named(const TextPair& pair, const std::string& answer, const std::string& other) const {
    try {
      return metric_of_pair(question_.sweep.metric, answer, other);
    } catch (const Error& error) {
      refuse(pair, error.what());
    }
  }

  SweepRunner runner_;
  const PairQuestion& question_;
  const CancelToken& cancel_;
};

// A number a pair.
struct Numbers {
  std::vector<double> values, changes;
};

bool has_places(const Sweep& sweep) {
  return !sweep.cells.empty() && sweep.cells.front().position.has_value();
}

void check_like(const PairQuestion& question, const TextPair& pair, const Sweep& first, const Sweep& here) {
  if (here.cells.size() == first.cells.size()) return;
  throw UsageError(
      "patch",
      fmt::format("found positions, but {} tokens in line {} of {} and {} in line {}", first.trace->query_len(),
                  question.pairs.front().line, question.file, here.trace->query_len(), pair.line),
      "pairs that are equally long, or --patch heads, stages, head-parts, mlps or neurons");
}

}  // namespace

PairStatistics pair_statistics(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  PairStatistics found;
  for (const double number : numbers) found.mean += number / count;
  double squares = 0, same = 0;
  const auto sign = [](double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; };
  for (const double number : numbers) {
    squares += (number - found.mean) * (number - found.mean);
    same += sign(number) == sign(found.mean) ? 1.0 : 0.0;
  }
  if (numbers.size() > 1) found.standard_error = std::sqrt(squares / (count - 1) / count);
  found.same_sign = same / count;
  return found;
}

std::string metric_of_pair(const std::string& metric, const std::string& answer, const std::string& other) {
  return with_token(with_token(recovered_of_pairs(metric), kAnswer, answer), kOther, other);
}

PairSweep pair_sweep(EngineOptions options, const PairQuestion& question, const CancelToken& cancel,
                     const std::function<void(double share)>& progress) {
  const bool alone = question.sweep.estimate == SweepEstimate::alone;
  PairRuns runs(std::move(options), question, cancel);
  PairSweep result;
  std::vector<Numbers> cells;
  std::vector<double> patched, source;
  for (const TextPair& pair : question.pairs) {
    cancel.check();
    Sweep here = runs.run(pair);
    if (result.pairs++ == 0) {
      result.first = here;
      cells.resize(here.cells.size());
    } else if (has_places(here)) {
      check_like(question, pair, result.first, here);
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const double value = alone ? here.cells[k].estimate.value() : here.cells[k].value;
      cells[k].values.push_back(value);
      cells[k].changes.push_back(value - here.unpatched);
    }
    patched.push_back(here.unpatched);
    source.push_back(here.source.value());
    if (progress) progress(static_cast<double>(result.pairs) / static_cast<double>(question.pairs.size()));
  }
  result.patched = pair_statistics(patched);
  result.source = pair_statistics(source);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    result.cells.push_back(
        {result.first.cells[k], pair_statistics(cells[k].values), pair_statistics(cells[k].changes)});
  }
  return result;
}

}  // namespace headscope

#include "app/session/background/models/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr double kNoticeable = 0.0005;  // of a probability: half of the last digit shown

const Inputs& inputs_of(const ModelTrace& model) {
  return *model.layers[static_cast<std::size_t>(model.layer)]->inputs;
}

std::string percent(double probability) {
  return fmt::format("{:.1f} %", probability * 100);
}

std::string name_of(const TokenProbability& token) {
  const std::size_t first = token.piece.find_first_not_of(' ');
  return first == std::string::npos ? "a blank" : token.piece.substr(first);
}

std::string active_text(const std::vector<Intervention>& active) {
  if (active.size() == 1) return "With " + active.front().clause + ", ";
  const bool heads =
      std::all_of(active.begin(), active.end(), [](const Intervention& each) { return each.option == "ablate"; });
  if (active.size() == 2) return heads ? "With both heads off, " : "With both, ";
  return fmt::format(fmt::runtime(heads ? "With {} heads off, " : "With all {} interventions, "), active.size());
}

}  // namespace

double PredictionResult::probability_of(std::int64_t id) const {
  const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const TokenProbability& t) { return t.id == id; });
  return found == tokens.end() ? std::numeric_limits<double>::quiet_NaN() : found->probability;
}

bool has_predictions(const ModelTrace& model) {
  return model.checkpoint != nullptr && !model.final_hidden.empty() &&
         model.checkpoint->output_head().kind != OutputHead::Kind::none;
}

std::int64_t predicted_position(const ModelTrace& model) {
  const Inputs& inputs = inputs_of(model);
  const bool next_token = model.checkpoint->output_head().kind == OutputHead::Kind::next_token;
  if (next_token) return inputs.query_len - 1;
  const auto tokenizer = model.checkpoint->tokenizer();
  const auto mask = tokenizer != nullptr ? tokenizer->special().mask : std::nullopt;
  for (std::size_t i = 0; mask && i < inputs.token_ids.size(); ++i) {
    if (inputs.token_ids[i] == *mask) return static_cast<std::int64_t>(i);
  }
  std::int64_t last = inputs.query_len - 1;
  for (std::size_t i = 0; i < inputs.tokens.size(); ++i) {
    if (inputs.tokens[i] == "it" || inputs.tokens[i] == " it") return static_cast<std::int64_t>(i);
    if (i >= inputs.words.size() || inputs.words[i] >= 0) last = static_cast<std::int64_t>(i);
  }
  return last;
}

PredictionResult predict(const ModelTrace& model, std::int64_t batch, std::int64_t position,
                         const CancelToken& cancel) {
  PredictionResult result;
  result.position = position;
  result.next_token = model.checkpoint->output_head().kind == OutputHead::Kind::next_token;
  const Inputs& inputs = inputs_of(model);
  try {
    const std::shared_ptr<const Backend> backend = make_cpu_backend(0);
    const std::int64_t vocabulary = model.checkpoint->architecture().vocab_size;
    const std::vector<std::int64_t> here = {position};
    result.tokens = predictions(model, batch, here, vocabulary, *backend, cancel).front().top;
    std::vector<std::int64_t> all(static_cast<std::size_t>(inputs.query_len));
    std::iota(all.begin(), all.end(), 0);
    result.losses.resize(all.size());
    double sum = 0, count = 0;
    for (const Prediction& each : predictions(model, batch, all, 1, *backend, cancel)) {
      // A next-token head at i speaks of token i + 1.
      const auto token = static_cast<std::size_t>(each.position + (result.next_token ? 1 : 0));
      if (!each.loss || token >= result.losses.size()) continue;
      result.losses[token] = each.loss;
      sum += *each.loss;
      count += 1;
    }
    if (count > 0) result.mean_loss = sum / count;
  } catch (const UsageError& error) {
    result.failure = error.what();
  }
  return result;
}

std::string change_sentence(const PredictionResult& before, const PredictionResult& after,
                            const std::vector<Intervention>& active) {
  if (before.tokens.empty() || after.tokens.empty() || active.empty()) return "";
  const TokenProbability& first = before.tokens.front();
  const double now = after.probability_of(first.id);
  std::string sentence = active_text(active) + name_of(first);
  if (!(std::abs(now - first.probability) >= kNoticeable)) {
    sentence += " stays at " + percent(first.probability);
  } else {
    sentence += fmt::format(" {} from {} to {}", now < first.probability ? "falls" : "rises",
                            percent(first.probability), percent(now));
  }
  // Who gains most can only be one of the most probable now.
  const TokenProbability* winner = nullptr;
  double most = kNoticeable;
  for (std::size_t k = 0; k < after.tokens.size() && k < 20; ++k) {
    const TokenProbability& token = after.tokens[k];
    if (token.id == first.id) continue;
    const double gain = token.probability - before.probability_of(token.id);
    if (gain > most) {
      most = gain;
      winner = &token;
    }
  }
  if (winner != nullptr) sentence += fmt::format("; {} rises to {}", name_of(*winner), percent(winner->probability));
  return sentence + ".";
}

}  // namespace headscope

#include "core/diagnose/model_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/diagnose/verdict_words.h"

namespace headscope {
namespace {

// A row says what a part is, and what has to be wrong where it is wrong given theirs before it.
struct PartWords {
  std::string_view name, what, fault;
};
constexpr PartWords kParts[] = {
    {"stream", "what enters layer 0", "the embedding of the tokens is wrong"},
    {"attention_norm_out", "what attention adds, behind its norm", "the norm of what attention gives is wrong"},
    {"attended", "the sum behind attention", "the sum of the stream and of what attention adds is wrong"},
    {"mlp_in", "what the MLP reads", "the norm before the MLP is wrong"},
    {"mlp_out", "what the MLP adds", "the MLP is wrong given its input"},
    {"layer_out", "what leaves the layer", ""},
    {"final_norm", "what the final norm gives", "the final norm, or what it reads, is wrong"},
    {"logits", "the logits", "the output head is wrong"},
};

const PartWords* words_of(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kParts), std::end(kParts), [=](const auto& each) { return each.name == name; });
  return found == std::end(kParts) ? nullptr : found;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What can be wrong where the end of a layer is.
std::string fault_of_end(const PartComparison& part) {
  if (has(part.given, "mlp_out")) return "the last sum of the layer is wrong";
  if (has(part.given, "mlp_in")) return "the MLP or the sum behind it is wrong";
  for (const std::string_view each : {"attended", "attention_norm_out", "output"}) {
    if (has(part.given, each)) return "the MLP, its norm or the sums behind attention are wrong";
  }
  return "attention or the MLP is wrong, which a dump of what attention gives, its queries, keys, weights and output, "
         "would tell apart";
}

std::string list_of(const std::vector<std::int64_t>& layers) {
  return fmt::format("{} {}", layers.size() == 1 ? "layer" : "layers", fmt::join(layers, ", "));
}

}  // namespace

std::string_view part_words(std::string_view name) {
  const PartWords* words = words_of(name);
  return words == nullptr ? "" : words->what;
}

std::string part_sentence(const PartComparison& part, std::int64_t layer) {
  const bool of_layer =
      part.part != DumpPart::final_norm && part.part != DumpPart::logits && part.part != DumpPart::entering;
  const std::string name = of_layer ? fmt::format("{} of layer {}", part.name, layer) : std::string(part.name);
  if (part.equal && part.format.is_float32()) {
    return fmt::format("{} is equal: largest difference {:.3g}", name, part.max_difference);
  }
  if (part.equal) {
    return fmt::format(
        "{} is equal within {}: the largest difference, {:.3g}, is within what rounding costs here: {:.3g}", name,
        part.format.name, part.max_difference, part.allowed);
  }
  const std::string given = part.given.empty() ? "" : fmt::format(" given their {}", fmt::join(part.given, ", their "));
  const std::string text = fmt::format("{}, {}, differs{}: largest difference {:.3g}", name, part_words(part.name),
                                       given, part.max_difference);
  if (!part.explanations.empty()) {
    std::vector<std::string> names;
    for (const DiagnosisExplanation& each : part.explanations) {
      names.push_back(fmt::format("{}", fmt::join(each.variants, "+")));
    }
    const std::string alike = names.size() < 2 ? "" : fmt::format(", which this dump cannot tell apart; the first");
    return fmt::format("{}; it is explained by {}{}: {}", text, fmt::join(names, " or "), alike,
                       what_mistakes_do(part.explanations.front().variants));
  }
  const PartWords* words = words_of(part.name);
  const bool end = part.part == DumpPart::leaving ||
                   (part.part == DumpPart::final_norm && part.given != std::vector<std::string>{"layer_out"});
  const std::string fault = end ? fault_of_end(part) : words == nullptr ? "" : std::string(words->fault);
  return fmt::format("{}; {}. No mistakes outside of attention are known here", text, fault);
}

std::string model_sentence(const ModelDiagnosis& found) {
  std::string text;
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : "\n") + sentence; };
  for (const auto& [a, b] : found.exchanged) {
    add(fmt::format("layers {} and {} stand in each other's place: layer {} of theirs is our layer {}", a, b, a, b));
  }
  if (!found.missing.empty()) {
    add(fmt::format("theirs does not compute {} of ours", list_of(found.missing)));
  }
  for (const LayerDiagnosis& each : found.layers) {
    const bool told = std::any_of(found.exchanged.begin(), found.exchanged.end(), [&](const auto& pair) {
      return pair.first == each.layer || pair.second == each.layer;
    });
    if (each.layer != each.ours && !told) {
      add(fmt::format("layer {} of theirs is our layer {}", each.layer, each.ours));
      break;  // those behind it follow
    }
  }
  const auto wrong =
      std::find_if(found.layers.begin(), found.layers.end(), [](const auto& each) { return !each.equal; });
  if (wrong != found.layers.end()) {
    add(fmt::format("the first layer and stage that are wrong given their input: layer {}, {}", wrong->layer,
                    wrong->first_wrong()));
  } else if (found.equal()) {
    const std::int64_t count = static_cast<std::int64_t>(found.layers.size());
    add(fmt::format("every layer that theirs has, {} of them, is {}", count, found.verdict()));
  } else {
    for (const PartComparison& each : found.behind) {
      if (each.equal) continue;
      add(fmt::format("the first step that is wrong given its input: {}", each.name));
      break;
    }
  }
  return text;
}

}  // namespace headscope

#include "app/cli/circuits_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "core/export/answer_tables.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownPairs = 12, kShownValues = 4;
constexpr CompositionKind kKinds[] = {CompositionKind::query, CompositionKind::key, CompositionKind::value};

const char* word_of(CompositionKind kind) {
  return kCompositionNames[static_cast<std::size_t>(kind)];
}

std::string title(const CircuitsHeading& heading, const char* what) {
  return fmt::format("{} of the heads of {}, norms {}\n", what, printable(heading.model),
                     heading.norms == NormFolding::fold ? "folded in" : "ignored");
}

Json head_json(const CircuitsHeading& heading) {
  return {{"model", heading.model}, {"norms", kNormFoldingNames[static_cast<std::size_t>(heading.norms)]}};
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

std::string values_text(const std::vector<double>& values) {
  std::string text;
  for (std::size_t k = 0; k < std::min(kShownValues, values.size()); ++k) {
    if (k > 0) text += ' ';
    text += short_number(values[k]);
  }
  return text + (values.size() > kShownValues ? " ..." : "");
}

std::string share_text(const std::vector<double>& values) {
  const double sum = sum_of_squares(values);
  return sum > 0 ? fmt::format("{:.2f}", values.front() * values.front() / sum) : "";
}

}  // namespace

std::string composition_text(const CircuitsHeading& heading, const Composition& found) {
  std::string text = title(heading, "Composition");
  text += fmt::format("random matrices of these shapes have {}\n", short_number(found.random));
  for (const CompositionKind kind : kKinds) {
    text += fmt::format("\nwith their {}, the strongest pairs:\n", word_of(kind));
    std::vector<std::vector<std::string>> rows = {{"reads", "what writes", "score", "times random"}};
    for (const ComposedPair& pair : strongest_pairs(found, kind, kShownPairs)) {
      rows.push_back({fmt::format("{}.{}", pair.layer, pair.head),
                      fmt::format("{}.{}", pair.from_layer, pair.from_head), short_number(pair.score),
                      fmt::format("{:.2f}", pair.score / found.random)});
    }
    text += table_text({{}, {}, {true}, {true}}, rows);
  }
  return text + "\nHeads are named LAYER.HEAD.\n";
}

std::string composition_json(const CircuitsHeading& heading, const Composition& found) {
  Json head = head_json(heading);
  head["random"] = json_number(found.random);
  // Pair by pair, without a JSON value of all of them in between: there may be a million.
  std::string text = json_dump(head);
  text.pop_back();
  text += ",\"cells\":[";
  bool first = true;
  for (const CompositionKind kind : kKinds) {
    for_each_pair(found, kind, [&](const ComposedPair& pair) {
      const Json cell = {{"kind", word_of(kind)},       {"layer", pair.layer},
                         {"head", pair.head},           {"from_layer", pair.from_layer},
                         {"from_head", pair.from_head}, {"value", json_number(pair.score)}};
      text += (first ? "\n " : ",\n ") + json_dump(cell);
      first = false;
    });
  }
  return text + "\n]}\n";
}

std::string spectra_text(const CircuitsHeading& heading, const std::vector<HeadSpectrum>& heads) {
  std::vector<std::vector<std::string>> rows = {
      {"head", "|QK|", "first", "singular values of QK", "|OV|", "first", "singular values of OV"}};
  for (const HeadSpectrum& each : heads) {
    rows.push_back({fmt::format("{}.{}", each.layer, each.head), short_number(std::sqrt(sum_of_squares(each.qk))),
                    share_text(each.qk), values_text(each.qk), short_number(std::sqrt(sum_of_squares(each.ov))),
                    share_text(each.ov), values_text(each.ov)});
  }
  return title(heading, "Circuits") + '\n' + table_text({{}, {true}, {true}, {}, {true}, {true}, {}}, rows) +
         "\nHeads are named LAYER.HEAD. 'first': the share of the first singular value in the sum of squares.\n";
}

std::string spectra_json(const CircuitsHeading& heading, const std::vector<HeadSpectrum>& heads) {
  Json json = head_json(heading);
  Json& list = json["heads"] = Json::array();
  const auto numbers = [](const std::vector<double>& values) {
    Json all = Json::array();
    for (const double value : values) all.push_back(json_number(value));
    return all;
  };
  for (const HeadSpectrum& each : heads) {
    list.push_back({{"layer", each.layer}, {"head", each.head}, {"qk", numbers(each.qk)}, {"ov", numbers(each.ov)}});
  }
  return json_dump(json, 1) + "\n";
}

std::string spectra_csv(const std::vector<HeadSpectrum>& heads) {
  std::string text = "circuit,layer,head,number,value\n";
  for (const HeadSpectrum& each : heads) {
    for (const auto& [name, values] : {std::pair("qk", &each.qk), std::pair("ov", &each.ov)}) {
      for (std::size_t k = 0; k < values->size(); ++k) {
        text += fmt::format("{},{},{},{},{}\n", name, each.layer, each.head, k, csv_number((*values)[k]));
      }
    }
  }
  return text;
}

}  // namespace headscope::cli

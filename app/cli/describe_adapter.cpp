#include "app/cli/describe_adapter.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "app/cli/output.h"
#include "core/base/grouped_digits.h"
#include "core/model/adapter_folder.h"
#include "core/model/adapters.h"
#include "core/request/model_text.h"
#include "core/request/option_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

// "8", or "4 to 16" where they differ.
std::string range_words(const std::string& least, const std::string& largest) {
  return least == largest ? least : fmt::format("{} to {}", least, largest);
}

// "LoRA of rank 8, times 2, on 24 matrices; 442,368 numbers of the model are changed".
std::string adapter_words(const AdapterFacts& facts) {
  std::string text = facts.kind;
  if (facts.modules > 0) {
    text += fmt::format(" of rank {}, times {}, on {}",
                        range_words(std::to_string(facts.least_rank), std::to_string(facts.largest_rank)),
                        range_words(double_text(facts.least_scaling), double_text(facts.largest_scaling)),
                        facts.modules == 1 ? "1 matrix" : grouped_digits(facts.modules) + " matrices");
  }
  if (facts.whole > 0) text += fmt::format(", {} trained whole", counted(facts.whole, "tensor"));
  return text + fmt::format("; {} numbers of the model are changed", grouped_digits(facts.changed));
}

void add_facts(const AdapterFacts& facts, Json& json) {
  json["adapter"] = facts.kind;
  json["base"] = facts.base.empty() ? Json(nullptr) : Json(facts.base);
  json["least_rank"] = facts.least_rank;
  json["largest_rank"] = facts.largest_rank;
  json["least_scaling"] = facts.least_scaling;
  json["largest_scaling"] = facts.largest_scaling;
  json["matrices"] = facts.modules;
  json["whole_tensors"] = facts.whole;
  json["changed_numbers"] = facts.changed;
  json["parameters"] = facts.parameters;
}

}  // namespace

bool is_adapter_folder(const std::string& folder) {
  return !adapter_sentence(folder).empty();
}

void add_adapters(const std::string& model, Description& description) {
  for (const AdapterUse& use : model_text_of(model).adapters) {
    const AdapterFacts facts = adapter_facts(use.folder);
    Json json = {{"path", use.folder}, {"scale", use.scale}, {"on", use.on}};
    add_facts(facts, json);
    description.json["adapters"].push_back(json);
    description.text += fmt::format("adapter {}{}{}: {}\n", printable(use.folder),
                                    use.scale == 1 ? "" : " times " + double_text(use.scale), use.on ? "" : ", off",
                                    adapter_words(facts));
  }
}

Description describe_adapter(const std::string& folder) {
  const AdapterFacts facts = adapter_facts(folder);
  Description description;
  description.json = {{"path", folder}, {"kind", "adapter"}};
  add_facts(facts, description.json);
  description.text = fmt::format(
      "{}: an adapter of {}\n{}\n{} parameters in its file\nheadscope-cli run --model PATH --adapter {} "
      "adds it to its model\n",
      printable(folder), facts.base.empty() ? "a model that it does not name" : printable(facts.base),
      adapter_words(facts), grouped_digits(facts.parameters), printable(folder));
  return description;
}

}  // namespace headscope::cli

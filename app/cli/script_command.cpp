#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/request_arguments.h"
#include "core/base/error.h"
#include "core/script/script.h"

namespace headscope::cli {

namespace {

ScriptLanguage given_language(const Arguments& given) {
  if (!given.has("as")) throw UsageError("as", "missing", "--as pytorch, numpy or latex");
  std::vector<std::string> names;
  for (const ScriptLanguage language : kScriptLanguages) names.emplace_back(script_language_name(language));
  return kScriptLanguages[choice_of("as", given.get("as"), names)];
}

void run_script(const Arguments& given, const CancelToken& cancel) {
  const ScriptLanguage language = given_language(given);
  const std::string folder = given.get("out");
  if (given.has("out") && folder.empty()) throw UsageError("out", "found ''", "the folder to write to");
  const std::int64_t memory = stage_memory_of(given);
  const std::shared_ptr<const Trace> trace = computed_trace(given, given_request(given).request, memory, cancel);
  const Script script = script_of(*trace, language);
  if (given.has("out")) {
    std::string names;
    for (const std::string& name : write_script(script, folder, cancel)) names += (names.empty() ? "" : ", ") + name;
    return print(fmt::format("written to {}: {}\n", printable(folder), names));
  }
  if (!script.data_name.empty()) {
    print_notice(fmt::format("the script reads {}, which --out DIR writes beside it", script.data_name));
  }
  print(script.text);
}

}  // namespace

Command script_command() {
  CommandSpec spec;
  spec.name = "script";
  spec.usage = "REQUEST --as pytorch|numpy|latex [--out DIR]";
  spec.summary =
      "Writes the computation as a script that prints the same shapes and numbers, or as formulas with its shapes.";
  spec.groups = {
      {"Script",
       {{"as", "pytorch|numpy|latex",
         "attention_pytorch.py or attention_numpy.py, which run by themselves, or attention.tex."},
        {"out", "DIR",
         "Write the script to this folder, with the tensors that it reads as a .safetensors file; without it, the "
         "script is printed."}}},
      request_group()};
  spec.examples = {
      "headscope-cli script --model seeded --embedding sequence --phrase 'Hola mi nombre es Alex' --as pytorch",
      "headscope-cli script --phrase 'a b c' --mask causal --as numpy --out script && python3 "
      "script/attention_numpy.py"};
  return {spec, run_script};
}

}  // namespace headscope::cli

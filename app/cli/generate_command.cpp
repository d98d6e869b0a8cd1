#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "core/base/error.h"
#include "core/generate/generation.h"
#include "core/io/json_text.h"
#include "core/request/option_text.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostTokens = std::int64_t{1} << 20;

GenerationOptions given_options(const Arguments& given) {
  if (!given.has("tokens")) throw UsageError("tokens", "missing; generate needs how many tokens to append");
  GenerationOptions options;
  options.tokens = whole_number("tokens", given.get("tokens"), 1, kMostTokens);
  Sampling& sampling = options.sampling;
  if (given.has("sample")) set_sampling(sampling, given.get("sample"));
  if (given.has("temperature")) set_temperature(sampling, given.get("temperature"));
  if (given.has("sample-seed")) sampling.seed = parse_seed("sample-seed", given.get("sample-seed"));
  return options;
}

// The most probable token is the same at every temperature and for every seed.
void say_what_is_unused(const Arguments& given, const Sampling& sampling) {
  if (sampling.kind != Sampling::Kind::greedy) return;
  for (const char* option : {"temperature", "sample-seed"}) {
    if (!given.has(option)) continue;
    print_notice(fmt::format(
        "--{} changes nothing with --sample greedy, which takes the most probable token; top-k:K and top-p:P draw",
        option));
  }
}

Json chance_json(const std::string& piece, const TokenChance& token) {
  return {{"id", token.id},
          {"token", piece},
          {"probability", json_number(token.probability)},
          {"chance", json_number(token.chance)}};
}

Json step_json(const GeneratedToken& token) {
  Json step = chance_json(token.piece, token.sampled.token);
  step["kept"] = token.sampled.kept;
  step["top"] = Json::array();
  for (std::size_t k = 0; k < token.top.size(); ++k) {
    step["top"].push_back(chance_json(token.top[k], token.sampled.top[k]));
  }
  return step;
}

std::string generation_json(const Generation& generation, const Sampling& sampling) {
  Json ids = Json::array(), tokens = Json::array(), steps = Json::array();
  for (const GeneratedToken& token : generation.tokens) {
    ids.push_back(token.sampled.token.id);
    tokens.push_back(token.piece);
    steps.push_back(step_json(token));
  }
  const Json json = {{"text", generation.text},
                     {"ids", std::move(ids)},
                     {"tokens", std::move(tokens)},
                     {"ended", generation.ended},
                     {"prompt_ids", generation.prompt_ids},
                     {"prompt_tokens", generation.prompt_tokens},
                     {"sample", sampling_text(sampling)},
                     {"temperature", sampling.temperature},
                     {"sample_seed", sampling.seed},
                     {"cache_positions", generation.cache_positions},
                     {"cache_bytes", generation.cache_bytes},
                     {"steps", std::move(steps)}};
  return json_dump(json, 1) + "\n";
}

void generate_text(const Arguments& given, const CancelToken& cancel) {
  const GenerationOptions options = given_options(given);
  const std::int64_t memory = stage_memory_of(given);
  const Request request = given_request(given).request;
  EngineOptions engine_with = engine_options(memory, true);
  engine_with.reuse = true;
  Engine engine(std::move(engine_with));
  ProgressLine progress;
  progress.show("computing");
  const bool as_json = given.has("json");
  const Generation generation = generate(engine, request, options, cancel, [&](std::string_view part) {
    if (as_json) return;
    progress.erase();
    print(printable_lines(part));
  });
  progress.erase();
  if (generation.trace != nullptr) said_of_run(given, *generation.trace, cancel);
  say_what_is_unused(given, options.sampling);
  if (as_json) return print(generation_json(generation, options.sampling));
  print("\n");
  if (generation.ended) {
    print_notice(fmt::format("ended: the model ended the text after {}, with {}",
                             counted(static_cast<std::int64_t>(generation.tokens.size()), "token"),
                             generation.tokens.back().piece));
  }
}

}  // namespace

Command generate_command() {
  CommandSpec spec;
  spec.name = "generate";
  spec.usage = "REQUEST --tokens N [--sample greedy|top-k:K|top-p:P] [--temperature T] [--sample-seed S] [--json]";
  spec.summary =
      "Goes on with a text, a token at a time, by a model that predicts the next one; the whole request, interventions "
      "and masks too, is run for each.";
  spec.groups = {
      {"Generation",
       {{"tokens", "N",
         "How many tokens to append; fewer when the model ends the text: by the end token that its config.json or its "
         "tokenizer names."},
        {"sample", "greedy|top-k:K|top-p:P",
         "The most probable token (default), equal ones by the lowest id; or drawn from the K most probable, or from "
         "the smallest set of most probable ones that holds the share P of the probability (top-p:1: from all)."},
        {"temperature", "T", "Divides the logits before that; above 0 (default 1)."},
        {"sample-seed", "S",
         "Of the drawn numbers, one a token (default 0): the same seed gives the same text, whatever --threads."},
        {"json", "",
         "Print {text, ids, tokens} of what was appended, the end token only in ids and tokens; ended; prompt_ids, "
         "prompt_tokens; cache_positions and cache_bytes of keys and values in float32; steps: of every token its "
         "probability, the chance with which it was drawn, kept, the number of tokens that could have been, and the "
         "most probable ones. Else the text as it comes and a line end are printed."}}},
      request_group()};
  spec.examples = {
      "headscope-cli generate --model demo:induction --phrase 'cat box ink fox jam cat box' --tokens 3",
      "headscope-cli generate --model gpt2 --phrase 'Once upon a time' --tokens 20 --sample top-p:0.9 --sample-seed 7",
      "headscope-cli generate --model demo:induction --phrase 'cat box ink cat' --tokens 2 --ablate 1.3 --json"};
  return {spec, generate_text};
}

}  // namespace headscope::cli

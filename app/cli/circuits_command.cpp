#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/adapter_argument.h"
#include "app/cli/circuits_text.h"
#include "app/cli/commands.h"
#include "app/cli/csv_path.h"
#include "app/cli/head_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/token_circuits_text.h"
#include "app/cli/token_sets_text.h"
#include "app/session/documents.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/circuits/composition.h"
#include "core/circuits/head_maps.h"
#include "core/circuits/head_scores.h"
#include "core/circuits/reduced_maps.h"
#include "core/circuits/token_circuits.h"
#include "core/circuits/token_directions.h"
#include "core/circuits/token_maps.h"
#include "core/export/answer_tables.h"
#include "core/model/checkpoint.h"
#include "core/model/named_token.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"

namespace headscope::cli {
namespace {

enum class By { composition, singular, tokens, directions, heads };
constexpr const char* kByNames[] = {"composition", "singular", "tokens", "directions", "heads"};

// Options that belong to some kinds alone.
struct OwnOption {
  const char* name;
  bool tokens, directions;  // with which kinds
};
constexpr OwnOption kOwnOptions[] = {
    {"head", true, true}, {"token", true, false}, {"tokens", true, false}, {"top", true, true}};

void check_options(const Arguments& given, By by) {
  for (const OwnOption& option : kOwnOptions) {
    if (!given.has(option.name)) continue;
    if ((by == By::tokens && option.tokens) || (by == By::directions && option.directions)) continue;
    const char* const kinds = option.directions ? "--by tokens or --by directions" : "--by tokens";
    throw UsageError(option.name, fmt::format("found it without {}", kinds), kinds);
  }
}

template <typename Kind, std::size_t count>
Kind chosen(const Arguments& given, const char* option, const char* const (&names)[count]) {
  const std::vector<std::string> words(std::begin(names), std::end(names));
  return static_cast<Kind>(choice_of(option, given.get(option, words[0]), words));
}

std::shared_ptr<const Checkpoint> opened(const std::string& model) {
  const std::string base = base_of_model(model);
  if (base == "seeded" || is_capture_path(base)) {
    throw UsageError("model", fmt::format("found '{}'", model), "demo:NAME or PATH, a whole model");
  }
  return Checkpoint::open(model);
}

struct Asked {
  CircuitsHeading heading;
  std::shared_ptr<const Checkpoint> checkpoint;
  bool json = false;
  std::string path;  // of the CSV; "": none
};

void finish(const Asked& asked, const std::string& text, const std::string& csv) {
  write_csv(asked.path, [&] { return csv; });
  print(text);
}

void print_composition(const Asked& asked, std::int64_t threads, const CancelToken& cancel) {
  const std::int64_t layers = asked.checkpoint->architecture().num_layers;
  if (layers < 2) {
    throw UsageError("model", fmt::format("{} has one layer, whose heads cannot read each other", asked.heading.model),
                     "a model of several layers, or --by singular");
  }
  ProgressLine progress;
  const auto backend = make_cpu_backend(static_cast<int>(threads));
  const auto maps = [&](std::int64_t layer) { return head_maps(*asked.checkpoint, layer, asked.heading.norms); };
  const Composition found = composition(layers, maps, *backend, cancel, [&](std::int64_t done, std::int64_t count) {
    progress.show("composing layers", static_cast<double>(done) / static_cast<double>(count));
  });
  progress.erase();
  finish(asked, asked.json ? composition_json(asked.heading, found) : composition_text(asked.heading, found),
         asked.path.empty() ? "" : composition_csv(found));
}

void print_spectra(const Asked& asked, const CancelToken& cancel) {
  std::vector<HeadSpectrum> heads;
  for (std::int64_t layer = 0; layer < asked.checkpoint->architecture().num_layers; ++layer) {
    const HeadMaps maps = head_maps(*asked.checkpoint, layer, asked.heading.norms);
    for (std::int64_t head = 0; head < maps.heads(); ++head) {
      cancel.check();
      const std::int64_t group = maps.group_of(head);
      heads.push_back({layer, head, singular_values(maps.query, head, maps.key, group),
                       singular_values(maps.output, head, maps.value, group)});
    }
  }
  finish(asked, asked.json ? spectra_json(asked.heading, heads) : spectra_text(asked.heading, heads),
         asked.path.empty() ? "" : spectra_csv(heads));
}

// The head that --head names, which the model has.
LayerHead asked_head(const Arguments& given, const Asked& asked, By by) {
  const std::optional<LayerHead> place = head_argument(given, "head");
  if (!place) {
    throw UsageError("head", fmt::format("missing; --by {} needs a head", kByNames[static_cast<int>(by)]),
                     "--head LAYER:HEAD");
  }
  const Architecture& architecture = asked.checkpoint->architecture();
  if (place->layer >= architecture.num_layers || place->head >= architecture.num_heads) {
    throw UsageError("head",
                     fmt::format("found {}:{}, but there are {} layers of {} heads", place->layer, place->head,
                                 architecture.num_layers, architecture.num_heads),
                     fmt::format("0:0 to {}:{}", architecture.num_layers - 1, architecture.num_heads - 1));
  }
  return *place;
}

void check_vocabulary(const Asked& asked) {
  const Architecture& architecture = asked.checkpoint->architecture();
  if (architecture.image || architecture.part == Architecture::Part::pool)
    throw UsageError("model", "found a model that reads images, which has no vocabulary");
  if (asked.checkpoint->embedding().word.empty()) throw UsageError("model", "found a model without a vocabulary");
}

// Those of --tokens, named one by one.
std::vector<std::int64_t> asked_tokens(const Arguments& given, const Asked& asked) {
  const std::string text = given.get("tokens");
  std::vector<std::int64_t> ids;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    ids.push_back(named_token(*asked.checkpoint, "tokens", std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  if (ids.size() > kMostMapTokens) {
    throw UsageError("tokens", fmt::format("found {} of them", ids.size()), fmt::format("at most {}", kMostMapTokens));
  }
  return ids;
}

void print_token_maps(const Arguments& given, const Asked& asked, const LayerHead& place, const CancelToken& cancel) {
  if (given.has("top")) throw UsageError("top", "found it with --tokens, which are all shown", "--token A");
  const std::vector<std::int64_t> ids = asked_tokens(given, asked);
  const TokenMaps found = token_maps(*asked.checkpoint, {place.layer, place.head, ids}, asked.heading.norms, cancel);
  const HeadHeading heading{asked.heading, *asked.checkpoint, place.layer, place.head};
  finish(asked, asked.json ? token_maps_json(heading, ids, found) : token_maps_text(heading, ids, found),
         asked.path.empty() ? "" : token_maps_csv(heading, ids, found));
}

void print_tokens(const Arguments& given, const Asked& asked, const CancelToken& cancel) {
  constexpr std::int64_t kMostTokens = 1'000'000;
  const LayerHead place = asked_head(given, asked, By::tokens);
  if (!given.has("token") && !given.has("tokens")) {
    throw UsageError("token", "missing; --by tokens needs a token, or several", "--token A or --tokens A,B,C");
  }
  if (given.has("token") && given.has("tokens")) {
    throw UsageError("tokens", "found it with --token", "one of both");
  }
  check_vocabulary(asked);
  if (given.has("tokens")) return print_token_maps(given, asked, place, cancel);
  TokenQuestion question{place.layer, place.head, named_token(*asked.checkpoint, "token", given.get("token")), 10};
  if (given.has("top")) question.top = whole_number("top", given.get("top"), 1, kMostTokens);
  const TokenCircuit found = token_circuit(*asked.checkpoint, question, asked.heading.norms, cancel);
  const TokenHeading heading{asked.heading, *asked.checkpoint, question};
  finish(asked, asked.json ? token_circuit_json(heading, found) : token_circuit_text(heading, found),
         asked.path.empty() ? "" : token_circuit_csv(heading, found));
}

void print_directions(const Arguments& given, const Asked& asked, const CancelToken& cancel) {
  constexpr std::int64_t kMostDirections = 1024;
  const LayerHead place = asked_head(given, asked, By::directions);
  check_vocabulary(asked);
  DirectionsQuestion question;
  question.layer = place.layer;
  question.head = place.head;
  if (given.has("top")) question.top = whole_number("top", given.get("top"), 1, kMostDirections);
  const HeadDirections found = head_directions(*asked.checkpoint, question, asked.heading.norms, cancel);
  const HeadHeading heading{asked.heading, *asked.checkpoint, place.layer, place.head};
  finish(asked, asked.json ? directions_json(heading, found) : directions_text(heading, found),
         asked.path.empty() ? "" : directions_csv(heading, found));
}

void print_heads(const Asked& asked, const CancelToken& cancel) {
  check_vocabulary(asked);
  ProgressLine progress;
  const std::vector<HeadScores> heads =
      head_scores(*asked.checkpoint, asked.heading.norms, cancel, [&](std::int64_t done, std::int64_t count) {
        progress.show("scoring heads", static_cast<double>(done) / static_cast<double>(count));
      });
  progress.erase();
  finish(asked, asked.json ? head_scores_json(asked.heading, heads) : head_scores_text(asked.heading, heads),
         asked.path.empty() ? "" : head_scores_csv(heads));
}

void run(const Arguments& given, const CancelToken& cancel) {
  const By by = chosen<By>(given, "by", kByNames);
  Asked asked;
  asked.heading = {model_with_adapters(given, given.get("model", kDefaultModel)),
                   chosen<NormFolding>(given, "norms", kNormFoldingNames)};
  asked.json = given.has("json");
  asked.path = csv_path(given);
  const std::int64_t threads = given.has("threads") ? whole_number("threads", given.get("threads"), 0, 1024) : 0;
  check_options(given, by);
  asked.checkpoint = opened(asked.heading.model);
  if (by == By::tokens) return print_tokens(given, asked, cancel);
  if (by == By::directions) return print_directions(given, asked, cancel);
  if (by == By::heads) return print_heads(asked, cancel);
  if (by == By::composition) return print_composition(asked, threads, cancel);
  print_spectra(asked, cancel);
}

}  // namespace

Command circuits_command() {
  CommandSpec spec;
  spec.name = "circuits";
  spec.usage =
      "--model M [--by composition|singular|tokens|directions|heads] [--head L:H] [--token A | --tokens A,B,C] [--top "
      "K] "
      "[--norms fold|ignore] [--json] [--out FILE.csv]";
  spec.summary =
      "Says what heads can do with each other and with tokens, from the weights of a model alone: which heads read "
      "what "
      "earlier heads write, what each attends by and moves, and which heads copy.";
  spec.groups = {
      {"Circuits",
       {{"model", "demo:NAME|PATH", "The model (default demo:stories)."},
        adapter_spec(),
        {"by", "composition|singular|tokens|directions|heads",
         "The composition scores of every pair of heads (default), beside what random matrices of the same shapes "
         "have; the singular values of W_Q^T W_K (QK) and W_O W_V (OV) of every head; what one head does with a token: "
         "which tokens it looks at as a query, which look at it as a key, and whose logits it raises where it is read, "
         "or with each token of a set for each; the directions of its QK and OV of largest singular value, with the "
         "tokens at both ends; or for every head how far it copies, and how far learned positions alone make it look "
         "at the token before. Of word embeddings alone, without positions and biases."},
        {"head", "L:H", "With --by tokens and --by directions: the head."},
        {"token", "A", "With --by tokens: the token, named as for attribute."},
        {"tokens", "A,B,C", "With --by tokens: a set of tokens, for two tables of each with each."},
        {"top", "K", "How many tokens a list has (default 10), or how many directions (default 5)."},
        {"norms", "fold|ignore",
         "Multiply the gains of the norms around attention into the weights, and take from them what a LayerNorm takes "
         "away (default); or the weights as the file has them."},
        {"threads", "N", "Threads that compute (default 0: all cores)."},
        {"json", "",
         "Print {model, norms, random, cells}, {model, norms, heads}, or {model, norms, layer, head} with {token, "
         "keys, "
         "queries, writes}, {tokens, qk, ov} or {qk, ov}: every pair, every value."},
        {"out", "FILE.csv", "The same numbers as CSV."}}}};
  spec.examples = {"headscope-cli circuits --model demo:induction",
                   "headscope-cli circuits --model demo:induction --by singular --json",
                   "headscope-cli circuits --model demo:induction --by tokens --head 1:7 --token box",
                   "headscope-cli circuits --model demo:induction --by tokens --head 1:7 --tokens box,cat,ink",
                   "headscope-cli circuits --model demo:induction --by directions --head 1:7 --top 3",
                   "headscope-cli circuits --model demo:induction --by heads",
                   "headscope-cli circuits --model gpt2 --norms ignore --out composition.csv"};
  return {spec, run};
}

}  // namespace headscope::cli

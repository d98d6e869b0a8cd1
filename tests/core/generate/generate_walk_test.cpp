// Texts that go on under requests drawn by chance: every token is drawn by the numbers of a run that knows nothing of
// the ones before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "core/generate/appended_token.h"
#include "core/generate/generation.h"
#include "tests/core/attention/request_walk.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t kTokens = 4;

bool same_chances(const TokenChance& a, const TokenChance& b) {
  return a.id == b.id && a.probability == b.probability && a.chance == b.chance;
}

// Says what step `step` draws by a run of its own; nothing where it cannot run.
std::optional<SampledToken> single_step(const WalkKind& kind, const Request& request, const Ids& ids,
                                        const GenerationOptions& options, std::uint64_t step) {
  Engine fresh(walk_options(kind, false, true, kDefaultStageMemory));
  const auto trace = fresh.run(with_ids(request, ids), CancelToken());
  return sampled_token(next_logits(*trace, CancelToken()), options.sampling, drawn_number(options.sampling.seed, step),
                       options.top_n);
}

// The first step that differs, in words; "" where none does. nullopt: the request cannot go on.
std::optional<std::string> wrong_step(Engine& engine, const WalkKind& kind, const Request& request) {
  GenerationOptions options;
  options.tokens = kTokens;
  set_sampling(options.sampling, "top-p:0.9");
  std::optional<Generation> found;
  try {
    found = generate(engine, request, options, CancelToken());
  } catch (const std::exception& error) {
    const std::string why = error.what();
    return why.find("this is a bug") == why.npos ? std::nullopt : std::optional(why);
  }
  Ids ids = found->prompt_ids;
  for (std::size_t step = 0; step < found->tokens.size(); ++step) {
    const SampledToken& token = found->tokens[step].sampled;
    const std::optional<SampledToken> wanted = single_step(kind, request, ids, options, step);
    const bool same =
        wanted && same_chances(token.token, wanted->token) && token.kept == wanted->kept &&
        std::equal(token.top.begin(), token.top.end(), wanted->top.begin(), wanted->top.end(), same_chances);
    if (!same) {
      return "step " + std::to_string(step) + " draws " + std::to_string(token.token.id) + " (" +
             std::to_string(token.token.probability) + ") for " + std::to_string(wanted->token.id) + " (" +
             std::to_string(wanted->token.probability) + ")";
    }
    ids.push_back(token.token.id);
  }
  return "";
}

// The request as few options as show it.
Settings shrunk_settings(const WalkKind& kind, Settings settings) {
  for (const RequestOption& option : request_options()) {
    Settings fewer = settings;
    std::erase_if(fewer, [&](const Setting& setting) { return setting.option == option.name; });
    Engine engine(walk_options(kind, true, true, kDefaultStageMemory));
    if (const auto what = wrong_step(engine, kind, request_of(fewer)); what && !what->empty()) settings = fewer;
  }
  return settings;
}

std::vector<WalkKind> generating_kinds() {
  std::vector<WalkKind> all = golden_kinds();
  for (const auto& more : {demo_kinds(), encoder_kinds()}) all.insert(all.end(), more.begin(), more.end());
  // Those that go on at all.
  std::erase_if(all, [](const WalkKind& kind) {
    Engine engine(walk_options(kind, true, true, kDefaultStageMemory));
    return !wrong_step(engine, kind, request_of(kind.base)).has_value();
  });
  return all;
}

TEST(GenerateWalk, EveryTokenIsThatOfASingleRun) {
  const TemporaryFolder files;
  write_walk_files(files);
  const std::vector<WalkKind> kinds = generating_kinds();
  EXPECT_GT(kinds.size(), 40u);
  Drawing drawing(walk_seed(), files.path());
  const std::int64_t most = walk_steps(3000);
  std::int64_t tokens = 0, refused = 0;
  while (tokens < most && refused < most) {
    const WalkKind& kind = drawing.random.one_of(kinds);
    Engine engine(walk_options(kind, true, true, kDefaultStageMemory));
    Settings settings = kind.base;
    for (int round = 0; round < 6; ++round) {
      const auto what = wrong_step(engine, kind, request_of(settings));
      if (what && !what->empty()) {
        FAIL() << kind.name << ": " << *what << "\n  "
               << shell_command_of(request_of(shrunk_settings(kind, settings)), "generate");
      }
      tokens += what ? kTokens : 0;
      refused += what ? 0 : 1;
      if (!what) settings = kind.base;
      settings = drawing.changed(drawing.changed(settings, kind), kind);
    }
  }
  std::printf("%lld tokens, %lld refusals\n", static_cast<long long>(tokens), static_cast<long long>(refused));
  EXPECT_GE(tokens, most) << "most requests that are drawn should go on";
}

}  // namespace
}  // namespace headscope

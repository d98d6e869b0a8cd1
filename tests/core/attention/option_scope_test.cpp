// Every option of REQUEST on every kind of request: it changes the result, or it is refused, or its value is what is so
// in any case. Options, values and kinds of requests are drawn from the tables (drawn_request.h).
#include "core/request/option_scope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/heads/showing.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/request/idle_options.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"
#include "tests/core/attention/drawn_request.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/attention/request_walk.h"

namespace headscope {
namespace {

// Null where the request is refused.
std::shared_ptr<const Trace> run(const Settings& settings, const WalkKind& kind) {
  try {
    return Engine(walk_options(kind, false, false, kDefaultStageMemory)).run(request_of(settings), {});
  } catch (const UsageError&) {
    return nullptr;
  } catch (const ProblemError&) {
    return nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

// Whether two results hold the same, and show it in the same way.
bool same_result(const Trace& a, const Trace& b) {
  if (!(showing_of(a.request) == showing_of(b.request))) return false;
  if (a.inputs->tokens != b.inputs->tokens || a.key_labels() != b.key_labels()) return false;
  if (a.stages.size() != b.stages.size()) return false;
  for (std::size_t s = 0; s < a.stages.size(); ++s) {
    if (a.stages[s].id != b.stages[s].id || !same_bits(a.stages[s].tensor, b.stages[s].tensor)) return false;
  }
  return true;
}

// A capture of weights alone, and one of what they are computed from.
std::vector<WalkKind> capture_kinds(const TemporaryFolder& files) {
  const Tensor weights = tensor_of({1, 2, 3, 3}, {1, 0, 0, 0.5F, 0.5F, 0, 0.25F, 0.5F, 0.25F,  //
                                                  1, 0, 0, 0.75F, 0.25F, 0, 0.5F, 0.25F, 0.25F});
  std::ofstream npy(files / "captured.npy", std::ios::binary);
  write_npy(npy, weights);
  const Tensor query = random_tensor({1, 3, 4, 4}, 31), key = random_tensor({1, 3, 4, 4}, 32),
               value = random_tensor({1, 3, 4, 4}, 33);
  std::ofstream held(files / "captured.safetensors", std::ios::binary);
  write_safetensors(held, {{"layers.0.query", &query}, {"layers.0.key", &key}, {"layers.0.value", &value}}, {});
  const std::vector<std::string> words{"a", "b", "c"};
  return {{"captured weights", {{"model", files / "captured.npy"}, {"threads", "1"}}, words},
          {"captured queries", {{"model", files / "captured.safetensors"}, {"threads", "1"}}, words}};
}

std::vector<WalkKind> every_kind(const TemporaryFolder& files) {
  std::vector<WalkKind> kinds = layer_kinds(files);
  std::erase_if(kinds, [](const WalkKind& kind) { return kind.name.find("long") != kind.name.npos; });
  for (auto& more : {demo_kinds(), capture_kinds(files)}) kinds.insert(kinds.end(), more.begin(), more.end());
  std::erase_if(kinds,
                [](const WalkKind& kind) { return kind.name.starts_with("demo:") && kind.name != "demo:induction"; });
  return kinds;
}

// What became of an option on one kind of request.
struct Outcome {
  bool changed = false;  // with some value
  bool refused = false;  // some value, beside nothing but the kind's own options
  std::string idle;      // what was taken and did nothing
};

Outcome tried(const RequestOption& option, const WalkKind& kind, Drawing& drawing) {
  constexpr int kRounds = 24;
  Outcome outcome;
  for (int round = 0; round < kRounds && !outcome.changed; ++round) {
    // Some options act beside others only.
    Settings without = kind.base;
    for (int more = round % 4; more > 0; --more) without = drawing.with_option_drawn(without, kind);
    if (find_setting(without, option.name) != nullptr && find_setting(kind.base, option.name) == nullptr) continue;
    Settings with = without;
    put_setting(with, option.name, drawing.value_of(option, kind));
    Request before, after;
    try {
      before = request_of(without);
    } catch (const UsageError&) {
      continue;
    }
    try {
      after = request_of(with);
    } catch (const UsageError&) {
      continue;  // no value of the option
    }
    if (option.get(before) == option.get(after)) continue;
    const auto plain = run(without, kind);
    if (plain == nullptr) continue;
    const auto other = run(with, kind);
    if (other == nullptr) {
      outcome.refused = outcome.refused || round % 4 == 0;
      continue;
    }
    const bool same = same_result(*plain, *other);
    const std::string line = shell_command_of(before, "run") + " and --" + option.name + " " + option.get(after);
    if (is_given(option, after) && !acts_on(option, after)) {
      EXPECT_TRUE(same) << kind.name << ": " << line << ": is refused, and would change the result";
    } else if (same) {
      outcome.idle = line;
    } else {
      outcome.changed = true;
    }
  }
  return outcome;
}

// Of options that change no number, some say how results are shown, which is a change, and others what computes.
bool is_of_showing(const RequestOption& option, const WalkKind& kind, Drawing& drawing) {
  for (int draw = 0; draw < 20; ++draw) {
    if (!said_showing(request_of({{option.name, drawing.value_of(option, kind)}})).empty()) return true;
  }
  return false;
}

TEST(OptionScope, EveryOptionChangesTheResultOfEveryKindOrIsRefused) {
  const TemporaryFolder files;
  write_walk_files(files);
  Drawing drawing(7, files.path());
  for (const WalkKind& kind : every_kind(files)) {
    ASSERT_NE(run(kind.base, kind), nullptr) << kind.name;
    for (const RequestOption& option : request_options()) {
      const bool of_base = find_setting(kind.base, option.name) != nullptr;
      const bool computes = option.reach.changes == OptionChanges::nothing && !is_of_showing(option, kind, drawing);
      // Sizes may be repeated, not contradicted: a capture without values has no width that could be.
      const bool unknown = kind.name == "captured weights" && std::string_view(option.name) == "d-model";
      if (of_base || computes || unknown || option.scope.of_another) continue;
      const Outcome outcome = tried(option, kind, drawing);
      EXPECT_TRUE(outcome.changed || outcome.refused || outcome.idle.empty())
          << kind.name << ": " << outcome.idle << ": does nothing";
    }
  }
}

// Such an option is no mistake where the other one is missing; where that is given it must do something somewhere.
TEST(OptionScope, WhatSaysHowAnotherIsDoneActsSomewhere) {
  const TemporaryFolder files;
  write_walk_files(files);
  Drawing drawing(8, files.path());
  const std::vector<std::pair<std::string, Settings>> beside{
      {"mask-kind", {{"mask", files / "mask-5.npy"}, {"phrase", "a b cat dog x"}}},
      {"causal-align", {{"mask", "causal"}, {"key-phrase", "the dog"}}},
      {"past", {{"mask", "causal"}, {"key-phrase", "the dog x a b c"}}},
      {"mask-order", {{"mask", "causal"}}},
      {"mask-fill", {{"mask", "causal"}}},
      {"fully-masked", {{"mask", "padding:9"}}},
      {"softcap-order", {{"softcap", "0.5"}, {"mask", "alibi"}}},
      {"dropout-seed", {{"dropout", "0.5"}}},
      {"dropout-mask", {{"dropout", "0.5"}}},
      {"patch-from", {}}};
  const WalkKind seeded = layer_kinds(files).front();
  for (const RequestOption& option : request_options()) {
    if (!option.scope.of_another || std::string_view(option.name) == "patch-from") continue;
    const auto row =
        std::find_if(beside.begin(), beside.end(), [&](const auto& each) { return each.first == option.name; });
    ASSERT_NE(row, beside.end()) << option.name << " says how another option is done: which?";
    WalkKind kind = seeded;
    for (const auto& [name, value] : row->second) put_setting(kind.base, name, value);
    EXPECT_TRUE(tried(option, kind, drawing).changed) << option.name;
  }
}

TEST(OptionScope, ARefusalNamesTheOptionAndWhatItIsFor) {
  const auto said = [](const Settings& settings) {
    try {
      refuse_idle(*find_request_option(settings.back().option), request_of(settings));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Settings alone{{"query", "q.npy"}, {"key", "k.npy"}, {"value", "v.npy"}};
  const auto beside = [](Settings settings, const std::string& option, const std::string& value) {
    settings.push_back({option, value});
    return settings;
  };
  EXPECT_EQ(said(beside(alone, "seed", "3")),
            "--seed: found with attention alone, of --query, --key and --value, where it does nothing; expected what "
            "is drawn: --model seeded, or the words of --weights FILE");
  for (const auto& [option, value] :
       Settings{{"init-gain", "2"}, {"position", "sinusoidal"}, {"embedding", "sequence"}, {"qkv-layout", "blocked"}}) {
    EXPECT_NE(said(beside(alone, option, value)), "") << option;
  }
  EXPECT_NE(said({{"model", "demo:stories"}, {"seed", "3"}}).find("the model demo:stories, where it does nothing"),
            std::string::npos);
  EXPECT_NE(said({{"model", "a.safetensors"}, {"seed", "3"}}).find("a capture"), std::string::npos);
  EXPECT_NE(said({{"input", "x.npy"}, {"embedding", "sequence"}}).find("random weights on the vectors of --input"),
            std::string::npos);
  EXPECT_NE(said({{"weights", "w.pt"}, {"input", "x.npy"}, {"seed", "3"}}), "");
  EXPECT_NE(said({{"phrase", "a"}, {"kv-heads", "2"}, {"qkv-layout", "blocked"}}).find("--kv-heads"),
            std::string::npos);
  // The default says what is so in any case, and what is drawn or read follows the others.
  EXPECT_EQ(said(beside(alone, "seed", "0")), "");
  EXPECT_EQ(said({{"weights", "w.pt"}, {"phrase", "a"}, {"seed", "3"}}), "");
  EXPECT_EQ(said({{"weights", "w.pt"}, {"input", "x.npy"}, {"qkv-layout", "blocked"}}), "");
  EXPECT_EQ(said({{"input", "x.npy"}, {"position", "sinusoidal"}}), "");
  EXPECT_EQ(said({{"phrase", "a"}, {"kv-heads", "8"}, {"qkv-layout", "blocked"}}), "");
  EXPECT_EQ(said({{"phrase", "a"}, {"mask-kind", "keep"}}), "") << "it says how a mask file is read";
}

TEST(OptionScope, ARowThatSaysNothingIsRefusedEverywhere) {
  RequestOption option = *find_request_option("scale");
  option.scope = {};
  EXPECT_FALSE(acts_on(option, Request{}));
  EXPECT_THROW(refuse_idle(option, request_of({{"phrase", "a"}, {"scale", "2"}})), UsageError);
}

// What the window and `info` offer to copy must run.
TEST(OptionScope, ACommandLineLeavesOutWhatDoesNothing) {
  Request request = request_of({{"model", "demo:stories"}, {"phrase", "a b"}, {"seed", "3"}, {"scale", "2"}});
  EXPECT_EQ(shell_command_of(request, "run"), "run --phrase 'a b' --model demo:stories --scale 2");
  request.model = "seeded";
  EXPECT_EQ(shell_command_of(request, "run"), "run --phrase 'a b' --seed 3 --scale 2");
}

}  // namespace
}  // namespace headscope

// headscope_monkey: a random user of the window, in process. tests/monkey/README.md says how to use it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "app/memory/returned_memory.h"
#include "core/base/error.h"
#include "tests/monkey/promises.h"
#include "tests/monkey/run.h"

namespace headscope::ui {
namespace {

constexpr const char* kHelp =
    R"(headscope_monkey: does random things to the window, in process, until something breaks

  --seed N          the same events on every machine (default 1)
  --events N        how many (default 1000)
  --measure N       measures memory every N events
  --settle N        not before so many
  --most-growth B   fails when what is allocated grows by more than B bytes an event
  --most-resident M fails when more than M MB are resident
  --twice           does everything twice and fails when the events differ
  --replay FILE     does the events of a list instead
  --list FILE       where the list of a failed run goes (default monkey-events.txt)
  --whole           does not shrink that list
  --plant           breaks a promise on purpose, to see that it is found
)";

struct Arguments {
  RunOptions run;
  std::string replay, list = "monkey-events.txt";
  bool twice = false, whole = false, help = false;
};

Arguments parse(int count, char** words) {
  Arguments given;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value = [&]() -> const char* {
      if (i + 1 >= count) throw UsageError(std::string(word) + " needs a value");
      return words[++i];
    };
    if (word == "--seed") {
      given.run.seed = std::strtoull(value(), nullptr, 10);
    } else if (word == "--events") {
      given.run.events = std::atoll(value());
    } else if (word == "--measure") {
      given.run.measure = std::atoll(value());
    } else if (word == "--settle") {
      given.run.settle = std::atoll(value());
    } else if (word == "--most-growth") {
      given.run.most_growth = std::atof(value());
    } else if (word == "--most-resident") {
      given.run.most_resident = std::atoll(value()) << 20;
    } else if (word == "--replay") {
      given.replay = value();
    } else if (word == "--list") {
      given.list = value();
    } else if (word == "--twice") {
      given.twice = true;
    } else if (word == "--whole") {
      given.whole = true;
    } else if (word == "--plant") {
      plant_mistake();
    } else if (word == "--help") {
      given.help = true;
    } else {
      throw UsageError(std::string(word) + ": there is no such option");
    }
  }
  return given;
}

// Exit code 1, and the list of events that breaks it.
int report(const Outcome& outcome, const Arguments& given) {
  fmt::print("after {} events: {}\n", outcome.events.size(), outcome.wrong);
  std::fflush(stdout);
  const bool shrinks = !given.whole && outcome.kind() != "growth" && outcome.kind() != "resident";
  const std::vector<Event> events = shrinks ? shrunk_events(outcome) : outcome.events;
  write_events(given.list, events);
  if (!shrinks) return 1;
  fmt::print("shrunk to {} events, in {}:\n", events.size(), given.list);
  for (const Event& event : events) fmt::print("{}\n", line_of(event));
  return 1;
}

int work(const Arguments& given) {
  if (!given.replay.empty()) {
    const Outcome outcome = run_events(read_events(given.replay), false);
    if (!outcome.wrong.empty()) return report(outcome, given);
    fmt::print("{} events, nothing breaks\n", outcome.events.size());
    return 0;
  }
  const Outcome outcome = run_random(given.run);
  if (!outcome.wrong.empty()) return report(outcome, given);
  if (given.twice && run_random(given.run).events != outcome.events) {
    fmt::print("the same seed gives other events\n");
    return 1;
  }
  fmt::print("seed {}: {} events, nothing breaks\n", given.run.seed, outcome.events.size());
  return 0;
}

}  // namespace
}  // namespace headscope::ui

int main(int count, char** words) {
  using namespace headscope;
  return_large_blocks();  // as the window does
  try {
    const ui::Arguments given = ui::parse(count, words);
    if (given.help) {
      fmt::print("{}", ui::kHelp);
      return 0;
    }
    return ui::work(given);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

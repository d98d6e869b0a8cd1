#include "tests/monkey/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/monkey/event_kinds.h"
#include "tests/monkey/memory.h"
#include "tests/monkey/shrink.h"

namespace headscope::ui {

namespace {

// An event that takes longer hangs: even a slow sanitizer is far from it.
constexpr unsigned kMostSeconds = 120;

// Notes each event before it is done: the last line is the one that broke something.
class Player {
 public:
  explicit Player(const std::string& list) : list_(list, std::ios::binary) {}

  std::string play(Hand& hand, const Event& event) {
    list_ << line_of(event) << std::endl;
    alarm(kMostSeconds);
    return play_event(hand, event);
  }

 private:
  std::ofstream list_;
};

std::string play_random(const RunOptions& options, Player& player) {
  Hand hand;
  Random random(options.seed);
  std::vector<MemorySample> samples;
  for (std::int64_t i = 1; i <= options.events; ++i) {
    const bool measured = options.measure > 0 && i >= options.settle && i % options.measure == 0;
    const std::string wrong = player.play(hand, measured ? Event{"home"} : some_event(random, hand));
    if (!wrong.empty()) return wrong;
    if (!measured) continue;
    samples.push_back(measure_memory(i));
    const MemorySample& now = samples.back();
    const Timeline timeline = hand.driver().session.timeline(kMostUndoSteps);
    fmt::print("{:9} events: {:7} kB allocated, {:7} kB resident, {} steps of undo\n", i, now.allocated >> 10,
               now.resident >> 10, timeline.before.size());
    std::fflush(stdout);
    if (options.most_resident >= 0 && now.resident > options.most_resident) {
      return fmt::format("resident: {} kB, {} are allowed", now.resident >> 10, options.most_resident >> 10);
    }
  }
  if (samples.empty()) return "";
  const Growth growth = growth_of(samples);
  fmt::print("growth: {:.1f} bytes allocated an event, {:.1f} resident\n", growth.allocated, growth.resident);
  std::fflush(stdout);
  if (options.most_growth < 0 || growth.allocated <= options.most_growth) return "";
  return fmt::format("growth: {:.1f} bytes an event, {} are allowed", growth.allocated, options.most_growth);
}

std::string play_list(const std::vector<Event>& events, Player& player) {
  Hand hand;
  for (const Event& event : events) {
    if (std::string wrong = player.play(hand, event); !wrong.empty()) return wrong;
  }
  return "";
}

void be_quiet() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

std::string read_all(int pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(pipe, buffer, sizeof(buffer))) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(pipe);
  return text;
}

std::string run_ending_of(int status, const std::string& said) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return fmt::format("hang: an event took more than {} seconds", kMostSeconds);
  }
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  if (!said.empty() || WEXITSTATUS(status) == 0) return said;
  return fmt::format("exit {}", WEXITSTATUS(status));
}

// What the child does, and how it ended. This process itself starts no thread: it may fork.
Outcome in_a_child(const std::function<std::string(Player&)>& work, bool quiet) {
  const TemporaryFolder folder;
  const std::string list = folder / "events.txt";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("there is no pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw Error("there is no process");
  if (child == 0) {
    if (quiet) be_quiet();
    std::string wrong;
    try {
      Player player(list);
      wrong = work(player);
    } catch (const std::exception& error) {
      wrong = std::string("exception: ") + error.what();
    }
    std::fflush(stdout);
    if (write(ends[1], wrong.data(), wrong.size()) < 0) _exit(3);
    _exit(wrong.empty() ? 0 : 1);
  }
  close(ends[1]);
  const std::string said = read_all(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {run_ending_of(status, said), read_events(list)};
}

}  // namespace

Outcome run_random(const RunOptions& options) {
  return in_a_child([&](Player& player) { return play_random(options, player); }, false);
}

Outcome run_events(const std::vector<Event>& events, bool quiet) {
  return in_a_child([&](Player& player) { return play_list(events, player); }, quiet);
}

std::vector<Event> shrunk_events(const Outcome& failed) {
  return shrunk<Event>(failed.events,
                       [&](const std::vector<Event>& some) { return run_events(some, true).kind() == failed.kind(); });
}

}  // namespace headscope::ui

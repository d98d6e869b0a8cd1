#include "app/cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/cli/help.h"
#include "app/cli/output.h"
#include "core/error.h"
#include "core/version.h"

namespace headscope::cli {

namespace {

constexpr std::array<std::string_view, 3> kLater = {"explain", "tokenize", "diagnose"};

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {run_command(), render_command(), info_command(), bench_command()};
  return all;
}

void run_command_line(const std::vector<std::string>& words, const CancelToken& cancel) {
  std::vector<CommandSpec> specs;
  for (const Command& command : commands()) specs.push_back(command.spec);

  const std::string first = words.empty() ? "" : words.front();
  if (words.empty()) {
    throw UsageError(
        "no command: found nothing; expected run, render, info or bench ('headscope-cli --help' says more)");
  }
  if (first == "--help" || first == "-h") return print(program_help(specs));
  if (first == "--version") return print(fmt::format("headscope-cli {}\n", kVersion));
  if (std::find(kLater.begin(), kLater.end(), first) != kLater.end()) {
    throw UsageError(first + ": comes in a later version");
  }
  for (const Command& command : commands()) {
    if (command.spec.name != first) continue;
    const Arguments arguments = parse_arguments(command.spec, {words.begin() + 1, words.end()}, specs);
    if (arguments.help) return print(command_help(command.spec));
    return command.run(arguments, cancel);
  }
  if (first.starts_with('-')) {
    throw UsageError(
        fmt::format("{}: found where a command is expected; expected run, render, info or bench first", first));
  }
  const std::string nearest = nearest_name(first, {"run", "render", "info", "bench"});
  throw UsageError(fmt::format("{}: found no such command; expected {}run, render, info or bench", first,
                               nearest.empty() ? "" : "'" + nearest + "', or another of "));
}

}  // namespace headscope::cli

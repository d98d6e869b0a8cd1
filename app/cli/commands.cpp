#include "app/cli/commands.h"

#include <fmt/format.h>

#include <string_view>

#include "app/cli/help.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/version.h"

namespace headscope::cli {

namespace {

// "run, render or info".
std::string all_names() {
  std::string text;
  for (std::size_t k = 0; k < commands().size(); ++k) {
    text += (k == 0 ? "" : k + 1 == commands().size() ? " or " : ", ") + commands()[k].spec.name;
  }
  return text;
}

void run_and_notice(const Command& command, const Arguments& arguments, const CancelToken& cancel) {
  const auto say = [&] { print_notices(*arguments.notices); };
  try {
    command.run(arguments, cancel);
  } catch (const ReaderLeft&) {  // the result was there, and whoever read it has seen enough of it
    say();
    throw;
  } catch (const CheckFailed&) {  // the result is there
    say();
    throw;
  }
  say();
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      run_command(),      render_command(),    explain_command(), sensitivity_command(), attribute_command(),
      score_command(),    diagnose_command(),  compare_command(), sweep_command(),       gradients_command(),
      circuits_command(), precision_command(), script_command(),  info_command(),        tokenize_command(),
      generate_command(), bench_command(),     scan_command(),    merge_command(),       report_command(),
      doctor_command(),   worksheet_command(), handout_command(), manual_command()};
  return all;
}

void run_command_line(const std::vector<std::string>& words, const CancelToken& cancel) {
  std::vector<CommandSpec> specs;
  for (const Command& command : commands()) specs.push_back(command.spec);

  const std::string first = words.empty() ? "" : words.front();
  if (words.empty()) {
    throw UsageError(
        fmt::format("no command: found nothing; expected {} ('headscope-cli --help' says more)", all_names()));
  }
  if (first == "--help" || first == "-h") return print(program_help(specs));
  if (first == "--version") return print(fmt::format("headscope-cli {}\n", kVersion));
  for (const Command& command : commands()) {
    if (command.spec.name != first) continue;
    const Arguments arguments = parse_arguments(command.spec, {words.begin() + 1, words.end()}, specs);
    if (arguments.help) return print(command_help(command.spec));
    return run_and_notice(command, arguments, cancel);
  }
  if (first.starts_with('-')) {
    throw UsageError(fmt::format("{}: found where a command is expected; expected {} first", first, all_names()));
  }
  std::vector<std::string> names;
  for (const CommandSpec& spec : specs) names.push_back(spec.name);
  const std::string nearest = nearest_name(first, names);
  throw UsageError(fmt::format("{}: found no such command; expected {}{}", first,
                               nearest.empty() ? "" : "'" + nearest + "', or another of ", all_names()));
}

}  // namespace headscope::cli

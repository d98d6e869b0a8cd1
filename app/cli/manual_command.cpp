#include <array>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/manual_page.h"
#include "app/cli/output.h"
#include "app/cli/shell_completion.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace headscope::cli {

namespace {

struct Form {
  const char* name;
  std::string (*text)(const std::vector<CommandSpec>&);
};
constexpr std::array kForms = {Form{"man", manual_page}, Form{"bash", bash_completion}, Form{"zsh", zsh_completion},
                               Form{"fish", fish_completion}};

void write_manual(const Arguments& given, const CancelToken&) {
  if (!given.has("as")) throw UsageError("as", "missing", "--as man, bash, zsh or fish");
  std::vector<std::string> names;
  for (const Form& form : kForms) names.emplace_back(form.name);
  const Form& form = kForms[choice_of("as", given.get("as"), names)];
  std::vector<CommandSpec> specs;
  for (const Command& command : commands()) specs.push_back(command.spec);
  const std::string text = form.text(specs);
  if (!given.has("out")) return print(text);
  write_file_atomically(given.get("out"), [&](std::ostream& out) { out << text; });
}

}  // namespace

Command manual_command() {
  CommandSpec spec;
  spec.name = "manual";
  spec.usage = "--as man|bash|zsh|fish [--out FILE]";
  spec.summary = "Writes the manual page, or what a shell needs to complete commands and options by Tab.";
  spec.groups = {{"Manual",
                  {{"as", "man|bash|zsh|fish", "The page for man(1), or the completion of that shell."},
                   {"out", "FILE", "Write it there; without it, it is printed."}}}};
  spec.examples = {"headscope-cli manual --as man --out headscope-cli.1", "source <(headscope-cli manual --as bash)"};
  return {spec, write_manual};
}

}  // namespace headscope::cli

// What the random user types, pastes and asks for: the usual, and what nobody expects.
#pragma once

#include <string>
#include <vector>

#include "app/ui/command.h"
#include "tests/monkey/random.h"

namespace headscope::ui {

// Words in many scripts, numbers and no numbers, control characters, NUL, bytes that are no UTF-8.
std::string some_text(Random& random);

// "heads=-1": an option of the request, and a value that may or may not be one; `files` are names to read.
std::string some_option(Random& random, const std::vector<std::string>& files);

// A command, with an argument where it takes one.
struct SomeCommand {
  CommandId id = CommandId::none;
  std::string argument;
};
SomeCommand some_command(Random& random, const std::vector<std::string>& files);

}  // namespace headscope::ui

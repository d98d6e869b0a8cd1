#include "tests/monkey/hostile.h"

#include "app/ui/command_actions.h"
#include "app/ui/guide/examples.h"
#include "app/ui/main_view.h"
#include "core/request/request_text.h"

namespace headscope::ui {

namespace {

const std::string kTexts[] = {
    "a",
    "the cat",
    "hola mundo, esto es una frase",
    "7",
    "0",
    "-1",
    "3.5",
    "1e308",
    "1e400",
    "-1e-400",
    "nan",
    "inf",
    "-inf",
    "99999999999999999999",
    "9223372036854775807",
    "> 0.9",
    "row max",
    "4,3",
    "h3",
    "1.7",
    "d_model 16",
    "heads",
    "mask window 3",
    "export",
    "[",
    "]",
    "/",
    "%s%n{}",
    "' \" \\ `",
    "..",
    "<script>",
    " ",
    "\t",
    "\n",
    "\r\n",
    "",
    std::string("\0", 1),
    std::string("a\0b", 3),
    "\x01\x02\x1B[31m\x7F",
    "\xFF\xFE",
    "\xED\xA0\x80",
    "\xC3",
    "\xF0\x9F\x98\x80",
    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
    "\xF0\x9F\x8F\xB3\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x8C\x88",
    "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D abc 12",
    "\xD9\x85\xD8\xB1\xD8\xAD\xD8\xA8\xD8\xA7",
    "e\xCC\x81\xCC\xA3\xCC\xB1",
    "\xCC\x81",
    "\xE0\xA4\x95\xE0\xA5\x8D\xE0\xA4\xB7",
    "\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\x8B\xE3\x81\xAA",
    "\xE2\x80\xAE"
    "abc"
    "\xE2\x80\xAC",
    "\xE2\x80\x8B\xE2\x81\xA0\xEF\xBB\xBF",
    "\xE2\x88\x92"
    "1.5",
    "\xF4\x8F\xBF\xBF",
    "fi \xEF\xAC\x81 \xEF\xBF\xBD",
};

const std::string kValues[] = {"0",   "1",    "2",    "3",     "4",       "5",       "8",
                               "16",  "-1",   "",     "auto",  "none",    "x",       "nan",
                               "inf", "-inf", "1e30", "0.5",   "1e-30",   "off",     "99999999999",
                               "0.0", "0.1",  "0.9",  "1,2,0", "0,0,0,0", "uniform", "1/scores:0,0,1,1=0.5"};

const std::string kModels[] = {"demo:pronouns", "demo:induction", "demo:", "demo:none", "seeded"};

// In the placeholder "after-scale|before-scale".
std::string one_choice(Random& random, const std::string& placeholder) {
  std::vector<std::string> words(1);
  for (const char c : placeholder) {
    if (c == '|' || c == ',' || c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return random.one_of(words);
}

// Those that the shell carries out; what it leaves to the window itself needs a window.
const std::vector<CommandId>& all_commands() {
  constexpr int beyond_the_last = 256;
  static const std::vector<CommandId> all = [] {
    std::vector<CommandId> found;
    for (int i = 1; i < beyond_the_last; ++i) {
      const auto id = static_cast<CommandId>(i);
      if (find_command_action(id) != nullptr || main_view_of(id) != nullptr) found.push_back(id);
    }
    return found;
  }();
  return all;
}

}  // namespace

std::string some_text(Random& random) {
  if (random.once_in(12)) {
    std::string word;
    const int length = 1 + random.below(200);
    for (int i = 0; i < length; ++i) word += static_cast<char>('a' + random.below(26));
    return word;
  }
  std::string text;
  const int pieces = 1 + (random.once_in(4) ? random.below(4) : 0);
  for (int i = 0; i < pieces; ++i) text += random.one_of(kTexts);
  return text;
}

std::string some_option(Random& random, const std::vector<std::string>& files) {
  const RequestOption& option = random.one_of(request_options());
  std::string value;
  switch (random.below(6)) {
    case 5:
      value = random.one_of(files);
      break;
    case 0:
    case 1:
      value = one_choice(random, option.placeholder);
      break;
    case 2:
      value = some_text(random);
      break;
    default:
      value = random.one_of(kValues);
      break;
  }
  return std::string(option.name) + "=" + value;
}

SomeCommand some_command(Random& random, const std::vector<std::string>& files) {
  SomeCommand made;
  made.id = random.one_of(all_commands());
  switch (made.id) {
    case CommandId::open_path:
      made.argument = random.once_in(3) ? random.one_of(kModels) : random.one_of(files);
      break;
    case CommandId::set_option:
      made.argument = some_option(random, files);
      break;
    case CommandId::select_head:
      made.argument = random.once_in(3) ? some_text(random) : std::to_string(random.below(12) - 1);
      break;
    case CommandId::open_example:
      made.argument = random.once_in(5) ? some_text(random) : random.one_of(all_examples()).id;
      break;
    default:
      if (random.once_in(20)) made.argument = some_text(random);
      break;
  }
  return made;
}

}  // namespace headscope::ui

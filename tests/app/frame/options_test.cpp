#include "app/frame/options.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

Options parsed(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv = {"headscope"};
  argv.insert(argv.end(), arguments);
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

std::string refusal_of(std::initializer_list<const char*> arguments) {
  try {
    parsed(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(WindowOptions, WithoutArgumentsNothingIsFixed) {
  const Options options = parsed({});
  EXPECT_EQ(options.path, "");
  EXPECT_FALSE(options.help || options.version);
  EXPECT_EQ(options.width, 0);
  EXPECT_EQ(options.height, 0);
  EXPECT_EQ(options.scale, 0);
  EXPECT_FALSE(options.theme.has_value());
  EXPECT_TRUE(options.then.empty());
}

TEST(WindowOptions, ReadsEveryOption) {
  const Options options =
      parsed({"--screenshot", "a.png", "--then", "heads=7", "--then", "Layers", "--size", "1280x800", "--theme",
              "light", "--scale", "1.5", "--frames", "12", "--probe", "p.json", "demo:x"});
  EXPECT_EQ(options.screenshot, "a.png");
  EXPECT_EQ(options.then, (std::vector<std::string>{"heads=7", "Layers"}));
  EXPECT_EQ(options.width, 1280);
  EXPECT_EQ(options.height, 800);
  EXPECT_EQ(options.theme, Theme::light);
  EXPECT_EQ(options.scale, 1.5);
  EXPECT_EQ(options.frames, 12);
  EXPECT_EQ(options.probe, "p.json");
  EXPECT_EQ(options.path, "demo:x");
  EXPECT_TRUE(parsed({"-h"}).help);
  EXPECT_TRUE(parsed({"--help"}).help);
  EXPECT_TRUE(parsed({"--version"}).version);
  EXPECT_EQ(parsed({"--theme", "dark"}).theme, Theme::dark);
  EXPECT_EQ(parsed({"--theme", "contrast"}).theme, Theme::contrast);
}

TEST(WindowOptions, AModelIsOpenedLikeAPath) {
  EXPECT_EQ(parsed({"--model", "demo:induction"}).path, "demo:induction");
  EXPECT_EQ(refusal_of({"--model", "demo:x", "a"}), "headscope opens one file; found 'demo:x' and 'a'");
  EXPECT_NE(help_text().find("--model"), std::string::npos);
}

TEST(WindowOptions, AWatchedFileIsOpened) {
  EXPECT_TRUE(parsed({"--watch", "x.safetensors"}).watch);
  EXPECT_EQ(parsed({"--watch", "x.safetensors"}).path, "x.safetensors");
  EXPECT_FALSE(parsed({"x.safetensors"}).watch);
  EXPECT_EQ(refusal_of({"--watch"}), "--watch: a value is missing after it");
  EXPECT_EQ(refusal_of({"--watch", "x", "y"}), "headscope opens one file; found 'x' and 'y'");
}

TEST(WindowOptions, APathMayBeginWithADash) {
  EXPECT_EQ(parsed({"--", "--help"}).path, "--help");
  EXPECT_FALSE(parsed({"--", "--help"}).help);
}

TEST(WindowOptions, RefusesAndSaysWhat) {
  EXPECT_EQ(refusal_of({"--sise", "1x1"}), "there is no option --sise; headscope --help lists them");
  EXPECT_EQ(refusal_of({"a", "b"}), "headscope opens one file; found 'a' and 'b'");
  EXPECT_EQ(refusal_of({""}), "the path to open is empty");
  EXPECT_EQ(refusal_of({"--probe"}), "--probe: a value is missing after it");
  EXPECT_EQ(refusal_of({"--theme", "grey"}), "--theme: found 'grey', expected dark, light or contrast");
  for (const char* size : {"1280", "x", "1280x", "x800", "319x800", "1280x239", "1280x16385", "1280x800x2", "-1x-1"}) {
    EXPECT_EQ(refusal_of({"--size", size}),
              "--size: found '" + std::string(size) + "', expected WIDTHxHEIGHT, as in 1600x1000");
  }
  for (const char* scale : {"0.4", "4.1", "nan", "inf", "1,5", ""}) {
    EXPECT_EQ(refusal_of({"--scale", scale}),
              "--scale: found '" + std::string(scale) + "', expected a number from 0.5 to 4");
  }
  for (const char* frames : {"0", "10001", "2.5", "-3"}) {
    EXPECT_EQ(refusal_of({"--frames", frames}),
              "--frames: found '" + std::string(frames) + "', expected a number from 1 to 10000");
  }
}

TEST(WindowOptions, HelpNamesWhatOpens) {
  for (const char* word : {"demo:NAME", "seeded", ".json", ".png", ".svg", ".safetensors", ".npy", "headscope-cli"}) {
    EXPECT_NE(help_text().find(word), std::string::npos) << word;
  }
}

// The manual page is a file of its own: what --help names, it names.
TEST(WindowOptions, TheManualPageNamesWhatHelpNames) {
  std::string page = bytes_of(std::string(HEADSCOPE_SOURCE_DIR) + "/assets/headscope.1");
  std::erase(page, '\\');
  std::istringstream words(help_text());
  for (std::string word; words >> word;) {
    while (!word.empty() && (word.back() == ',' || word.back() == ')' || word.back() == ';')) word.pop_back();
    const std::size_t begin = word.find_first_not_of('(');
    if (begin == std::string::npos) continue;
    word = word.substr(begin);
    const bool named =
        word.starts_with("--") || word.starts_with('.') || word == "demo:NAME" || word == "seeded" || word == "PATH";
    if (named) {
      EXPECT_NE(page.find(word), std::string::npos) << word;
    }
  }
}

}  // namespace
}  // namespace headscope

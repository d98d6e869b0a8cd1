#include "app/frame/options.h"

#include <charconv>

#include "core/base/error.h"
#include "core/picture/theme_words.h"

namespace headscope {
namespace {

template <typename T>
std::optional<T> number_in(const std::string& text, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low) || !(value <= high)) return {};
  return value;
}

void parse_size(const std::string& text, Options& options) {
  const std::size_t cross = text.find('x');
  const auto width = number_in<int>(text.substr(0, cross), 320, 16384);
  const auto height = cross == std::string::npos ? std::nullopt : number_in<int>(text.substr(cross + 1), 240, 16384);
  if (!width || !height) throw UsageError("size", "found '" + text + "', expected WIDTHxHEIGHT, as in 1600x1000");
  options.width = *width;
  options.height = *height;
}

Theme parse_theme(const std::string& text) {
  if (const auto theme = theme_named(text)) return *theme;
  throw UsageError("theme", "found '" + text + "', expected " + expected_words(kThemeWords));
}

void open_path(const std::string& path, Options& options) {
  if (!options.path.empty()) {
    throw UsageError("headscope opens one file; found '" + options.path + "' and '" + path + "'");
  }
  if (path.empty()) throw UsageError("the path to open is empty");
  options.path = path;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  bool only_paths = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (only_paths || argument.empty() || argument[0] != '-') {
      open_path(argument, options);
      continue;
    }
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw UsageError(argument.substr(2), "a value is missing after it");
      return argv[++i];
    };
    if (argument == "--") {
      only_paths = true;
    } else if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--version") {
      options.version = true;
    } else if (argument == "--model") {
      open_path(value(), options);
    } else if (argument == "--watch") {
      open_path(value(), options);
      options.watch = true;
    } else if (argument == "--listen") {
      options.listen = value();
      if (options.listen.empty()) throw UsageError("listen", "the path of the socket is empty");
    } else if (argument == "--screenshot") {
      options.screenshot = value();
    } else if (argument == "--then") {
      options.then.push_back(value());
    } else if (argument == "--probe") {
      options.probe = value();
    } else if (argument == "--size") {
      parse_size(value(), options);
    } else if (argument == "--theme") {
      options.theme = parse_theme(value());
    } else if (argument == "--scale") {
      const std::string text = value();
      const auto scale = number_in<double>(text, 0.5, 4);
      if (!scale) throw UsageError("scale", "found '" + text + "', expected a number from 0.5 to 4");
      options.scale = *scale;
    } else if (argument == "--frames") {
      const std::string text = value();
      const auto frames = number_in<int>(text, 1, 10000);
      if (!frames) throw UsageError("frames", "found '" + text + "', expected a number from 1 to 10000");
      options.frames = *frames;
    } else {
      throw UsageError("there is no option " + argument + "; headscope --help lists them");
    }
  }
  return options;
}

std::string help_text() {
  return "headscope: a desktop microscope for multi-head attention\n"
         "\n"
         "Usage: headscope [PATH]\n"
         "\n"
         "  PATH        a checkpoint folder, a GGUF model (.gguf), demo:NAME or\n"
         "              seeded (random weights), a session (.json), a picture\n"
         "              exported by Headscope (.png, .svg, .pdf, .html), one layer\n"
         "              (.safetensors, .pt), a capture (.safetensors, .npy, .npz, .pt),\n"
         "              an input (.npy), a phrase (.txt) or a corpus (.hsagg);\n"
         "              without it the last session opens, the first time the demo\n"
         "  --model M   the same as PATH, as headscope-cli spells it\n"
         "  --watch FILE  open it, and show it anew whenever another program writes\n"
         "              or replaces it\n"
         "  --listen SOCKET  let programs of this user hand over what is to be shown\n"
         "              by a socket in a folder of your own; no network is used\n"
         "  --help      show this and end\n"
         "  --version   show the version and end\n"
         "\n"
         "The same engine without a window: headscope-cli --help\n";
}

}  // namespace headscope

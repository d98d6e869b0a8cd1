// Requests drawn by chance from the tables of a request, so that a new option, variant, mask term, intervention or
// golden model is drawn by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/monkey/random.h"

namespace headscope {

// One option, and its value as it is typed.
struct Setting {
  std::string option, value;
  friend bool operator==(const Setting&, const Setting&) = default;
};
// A request, option by option; each stands there once.
using Settings = std::vector<Setting>;

Request request_of(const Settings& settings);
Settings settings_of(const Request& request);
// The value of an option; null where it is not given.
const std::string* find_setting(const Settings& settings, const std::string& option);
void put_setting(Settings& settings, const std::string& option, const std::string& value);

// A walk begins with this: a model or a layer, and something that it reads.
struct WalkKind {
  std::string name;
  Settings base;
  std::vector<std::string> words;  // phrases are made of them
};

// Files that options read, each named after one: "input-5.npy".
void write_walk_files(const TemporaryFolder& folder);

// One layer: drawn, from files, or attention alone.
std::vector<WalkKind> layer_kinds(const TemporaryFolder& files);
// Every demo that is shipped.
std::vector<WalkKind> demo_kinds();
// Every model of tests/golden/models.
std::vector<WalkKind> golden_kinds();
// Models with an encoder and a decoder, and those that read images: every one of tests/golden.
std::vector<WalkKind> encoder_kinds();

// Draws values and changes of requests.
class Drawing {
 public:
  Drawing(std::uint64_t seed, std::string files) : random(seed), files_(std::move(files)) {}

  // A value of the option. A test failure where its row has a placeholder that nothing is drawn for.
  std::string value_of(const RequestOption& option, const WalkKind& kind);
  // The settings after one change: a text typed, deleted or replaced, an option set or left out.
  Settings changed(const Settings& settings, const WalkKind& kind);
  // The settings after one option other than a text was set or left out.
  Settings with_option_drawn(Settings settings, const WalkKind& kind);

  ui::Random random;
  std::shared_ptr<const Trace> last;  // what was computed last, whose weights can be edited; or null

 private:
  Settings with_text_changed(Settings settings, const WalkKind& kind);

  std::string files_;
};

}  // namespace headscope

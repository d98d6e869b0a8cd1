#include "tests/monkey/scratch.h"

#include <filesystem>
#include <sstream>
#include <system_error>

#include "core/base/image.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"

namespace headscope::ui {

namespace {

namespace fs = std::filesystem;

Tensor counted(const Shape& shape, const Axes& axes) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) / 7 - 0.4f;
  return Tensor::of(shape, axes, values);
}

std::string npy(const Shape& shape, const Axes& axes) {
  std::ostringstream out;
  write_npy(out, counted(shape, axes));
  return out.str();
}

// Weights of two heads over four tokens, as another program keeps them.
std::string capture() {
  const Tensor weights =
      Tensor::of({1, 2, 4, 4}, {Axis::batch, Axis::head, Axis::query, Axis::key}, std::vector<float>(2 * 4 * 4, 0.25f));
  std::ostringstream out;
  write_safetensors(out, {{"layers.0.weights", &weights}}, {});
  return out.str();
}

std::string layer() {
  const Tensor qkv = counted({96, 32}, {Axis::feature, Axis::feature}), out = counted({32, 32}, qkv.axes());
  std::ostringstream bytes;
  write_safetensors(bytes, {{"qkv_layer.weight", &qkv}, {"linear_layer.weight", &out}}, {{"num_heads", "4"}});
  return bytes.str();
}

std::string session() {
  Request request;
  request.phrase = "caf\xC3\xA9 it's \xD7\xA9\xD7\x9C";
  request.heads = 4;
  request.d_model = 32;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::padding, 1, ""}};
  return session_json(request, std::nullopt);
}

std::string picture(const std::string& recipe) {
  std::ostringstream out;
  write_png(out, Image(3, 2, {1, 2, 3, 255}), {{"headscope", recipe}});
  return out.str();
}

}  // namespace

Scratch::Scratch()
    : home_("HOME", folder_.path().c_str()),
      config_("XDG_CONFIG_HOME", (folder_ / "config").c_str()),
      state_("XDG_STATE_HOME", (folder_ / "state").c_str()),
      cache_("XDG_CACHE_HOME", (folder_ / "cache").c_str()),
      path_("PATH", (folder_ / "programs").c_str()),
      display_("DISPLAY", nullptr),
      wayland_("WAYLAND_DISPLAY", nullptr) {
  fs::create_directories(exports());
  fs::create_directories(folder_ / "files/empty");
  const std::string json = session(), weights = layer();
  add("session.json", json);
  add("cut.json", json.substr(0, json.size() / 2));
  add("picture.png", picture(json));
  add("no_recipe.png", picture("{"));
  add("x.npy", npy({2, 4, 32}, {Axis::batch, Axis::query, Axis::feature}));
  add("weights.npy", npy({2, 4, 4}, {Axis::head, Axis::query, Axis::key}));
  add("cut.npy", npy({2, 4, 32}, {Axis::batch, Axis::query, Axis::feature}).substr(0, 200));
  add("mask.csv", "0,-inf,-inf\n0,0,-inf\n0,0,0\n");
  add("capture.safetensors", capture());
  add("layer.safetensors", weights);
  add("cut.safetensors", weights.substr(0, weights.size() - 9));
  add("words.txt", "one two three\nfour\n");
  add("bytes.txt", std::string("a\0b\xFF", 4));
  add("nothing.json", "");
  for (const char* name : {"@/files/missing.json", "@/files/empty", "@/files"}) files_.emplace_back(name);
}

void Scratch::add(const std::string& name, const std::string& bytes) {
  folder_.write("files/" + name, bytes);
  files_.push_back("@/files/" + name);
}

std::string Scratch::resolved(const std::string& text) const {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool stands_for_folder = text[i] == '@' && i + 1 < text.size() && text[i + 1] == '/';
    result += stands_for_folder ? folder() : std::string(1, text[i]);
  }
  return result;
}

void Scratch::tidy() const {
  std::error_code error;
  fs::remove_all(exports(), error);
  fs::create_directories(exports(), error);
}

bool Scratch::holds(const std::string& path) const {
  const std::string plain = fs::path(path).lexically_normal().string();
  return plain == folder() || plain.starts_with(folder() + "/");
}

}  // namespace headscope::ui

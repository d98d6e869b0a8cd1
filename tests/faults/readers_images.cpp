// Images for models that read them, and what says how they are read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <sstream>

#include "core/base/error.h"
#include "core/io/jpeg.h"
#include "core/io/png.h"
#include "core/model/checkpoint.h"
#include "core/model/image_input.h"
#include "core/model/image_processor.h"
#include "tests/core/io/jpeg_files.h"
#include "tests/core/model/vision_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

std::string read_jpeg_pixels(const std::string& path) {
  const Image image = read_jpeg(path);
  std::string text = fmt::format("{}x{}", image.width, image.height);
  for (const Rgba& pixel : image.pixels) text += fmt::format(" {} {} {}", pixel.r, pixel.g, pixel.b);
  return text;
}

const Checkpoint& image_model() {
  static const auto checkpoint = Checkpoint::open(kVisionModels + "vit");
  return *checkpoint;
}

std::string small_picture() {
  std::ostringstream out;
  write_png(out, Image(3, 2, {1, 200, 3, 255}), {});
  return out.str();
}

std::string read_patches_of(const std::string& path) {
  return text_of(read_image_input(path, image_model())->embedded);
}

std::string small_preprocessor() {
  return R"({"do_resize":true,"size":{"height":20,"width":28},"resample":2,"image_mean":[0.5,0.5,0.5],)"
         R"("image_std":[0.5,0.25,1],"rescale_factor":0.004,"crop_size":16})";
}

std::string read_preprocessor(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const auto processor = read_image_processor(folder, image_model().architecture());
  if (processor == nullptr) throw Error(path + ": is not there");
  return fmt::format("{} {}x{} {} {} {}", processor->filter == nullptr ? "" : processor->filter->name,
                     processor->size ? processor->size->height : 0, processor->size ? processor->size->width : 0,
                     processor->factor, fmt::join(processor->mean, " "), fmt::join(processor->deviation, " "));
}

}  // namespace

std::vector<Reader> image_readers() {
  return {
      {.name = "jpeg",
       .covers = "read_jpeg parse_jpeg core/io/jpeg.cpp",
       .file = "x.jpg",
       .small = small_jpeg,
       .read = read_jpeg_pixels,
       .fuzz = "request_files"},
      {.name = "image_of_a_model",
       .covers = "read_picture read_image_input",
       .file = "x.png",
       .small = small_picture,
       .read = read_patches_of,
       .fuzz = "request_files",
       .reads = "PNG"},
      {.name = "preprocessor",
       .covers = "read_image_processor parse_image_processor",
       .file = "preprocessor_config.json",
       .small = small_preprocessor,
       .read = read_preprocessor,
       .fuzz = "request_files",
       .of_json = [](const std::string& json) { return json; },
       .small_json = small_preprocessor},
  };
}

}  // namespace headscope::test
